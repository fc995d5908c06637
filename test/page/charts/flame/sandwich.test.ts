import { expect } from 'chai';
import fc from 'fast-check';
import {
  flameChild,
  flameRoot,
  calleesOf,
  callersOf,
  nameTotals,
  type FlameNode,
} from '../../../../src/page/charts/flame/flame-tree.js';

/** Frames of stacks, outermost first, with the time of each stack. */
type Stacks = readonly (readonly [frames: readonly string[], time: number])[];

function treeOf(stacks: Stacks): FlameNode {
  const root = flameRoot(
    'all work',
    stacks.reduce((sum, [, time]) => sum + time, 0),
  );
  const add = (parent: FlameNode, group: Stacks): void => {
    for (const name of new Set(group.flatMap(([[first]]) => (first === undefined ? [] : [first])))) {
      const own = group.filter(([[first]]) => first === name);
      const time = own.reduce((sum, [, one]) => sum + one, 0);
      add(
        flameChild(parent, { name, time, count: own.length }),
        own.map(([[, ...rest], one]) => [rest, one]),
      );
    }
  };
  add(root, stacks);
  return root;
}

const shapeOf = ({ name, time, children }: FlameNode): unknown =>
  children.length === 0 ? [name, time] : [name, time, children.map(shapeOf)];

const STACKS: Stacks = [
  [['main', 'a', 'f', 'g'], 5],
  [['main', 'b', 'f'], 3],
  [['main', 'b', 'f', 'b', 'f'], 2],
  [['main'], 1],
];

const someStacks = fc.array(
  fc.tuple(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 6 }), fc.nat({ max: 100 })),
  { minLength: 1, maxLength: 12 },
);

describe('sandwich view of a flame chart', () => {
  it('adds up names, recursion once', () => {
    expect(nameTotals(treeOf(STACKS))).to.deep.equal([
      { name: 'main', self: 1, total: 11, count: 4 },
      { name: 'a', self: 0, total: 5, count: 1 },
      { name: 'f', self: 5, total: 10, count: 3 },
      { name: 'g', self: 5, total: 5, count: 1 },
      { name: 'b', self: 0, total: 5, count: 2 },
    ]);
  });

  it('merges what a name contains, and what it is in', () => {
    const root = treeOf(STACKS);
    expect(shapeOf(calleesOf(root, 'f'))).to.deep.equal([
      ...['f', 10],
      [
        ['g', 5],
        ['b', 2, [['f', 2]]],
      ],
    ]);
    expect(shapeOf(callersOf(root, 'f'))).to.deep.equal([
      ...['f', 10],
      [
        ['a', 5, [['main', 5]]],
        ['b', 5, [['main', 5]]],
      ],
    ]);
  });

  it('leaves out what is in no box', () => {
    const root = flameRoot('all work', 10);
    flameChild(root, { name: 'f', time: 4 });
    flameChild(root, { name: 'no layer', time: 6, isRest: true });
    expect(nameTotals(root).map(({ name }) => name)).to.deep.equal(['f']);
  });

  it('agrees with its table, whatever the stacks', () => {
    fc.assert(
      fc.property(someStacks, (stacks) => {
        const root = treeOf(stacks);
        const totals = nameTotals(root);
        expect(totals.reduce((sum, { self }) => sum + self, 0)).to.equal(root.time);
        for (const { name, total, self } of totals) {
          const within = stacks.filter(([frames]) => frames.some((frame) => frame === name));
          expect(total).to.equal(within.reduce((sum, [, time]) => sum + time, 0));
          expect(self).to.equal(
            within.filter(([frames]) => frames.at(-1) === name).reduce((sum, [, time]) => sum + time, 0),
          );
          for (const tree of [calleesOf(root, name), callersOf(root, name)]) expect(tree.time).to.equal(total);
        }
      }),
    );
  });
});
