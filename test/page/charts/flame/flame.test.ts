import { expect } from 'chai';
import {
  branching,
  flameBoxes,
  nextBox,
  layerFlame,
  stackFlame,
  type FlameBox,
  type FlameNode,
} from '../../../../src/page/charts/flame/flame-tree.js';
import type { LayerRow } from '../../../../src/prof/html/page-data.js';

const row = (path: string, time: number): LayerRow => ({
  ...{ path: path.split('/'), count: 1, time, own: 0, forward: 0, backward: 0, flops: null, bytes: null },
  ...{ ownBackward: 0, why: { all: null, forward: null, backward: null } },
});

const ROWS = [row('m', 80), row('m/a', 20), row('m/b', 60), row('m/b/x', 40), row('n', 100)];
const ROOT = layerFlame(ROWS, 200, false);

const placed = (boxes: readonly FlameBox[]): unknown[] =>
  boxes.map(({ node, left, width, row }) => [node.name, left, width, row]);
const find = (boxes: readonly FlameBox[], name: string): FlameBox => {
  const box = boxes.find(({ node }) => node.name === name);
  if (box === undefined) throw new Error(`no box ${name}`);
  return box;
};

describe('flame chart of a page', () => {
  it('begins with all kernel time, and gives what is in no layer a box', () => {
    expect(placed(flameBoxes(ROOT))).to.deep.equal([
      ['all work', 0, 1, 0],
      ['m', 0, 0.4, 1],
      ['a', 0, 0.1, 2],
      ['b', 0.1, 0.3, 2],
      ['x', 0.1, 0.2, 3],
      ['n', 0.4, 0.5, 1],
      ['no layer', 0.9, 0.1, 1],
    ]);
  });

  it('puts the longest first, and what is in no layer last', () => {
    const root = layerFlame(ROWS, 1000, true);
    expect(flameBoxes(root, 'longest').map(({ node }) => node.name)).to.deep.equal([
      ...['all work', 'n', 'm', 'b', 'x', 'a', 'no layer, or a layer not on this page'],
    ]);
  });

  it('shows a layer as wide as the chart, below all that it is in', () => {
    const { node } = find(flameBoxes(ROOT), 'b');
    expect(placed(flameBoxes(node))).to.deep.equal([
      ...[['all work', 0, 1, 0], ['m', 0, 1, 1], ['b', 0, 1, 2]],
      ['x', 0, 40 / 60, 3],
    ]); // prettier-ignore
  });

  it('leaves out what is invisible, and is empty without time', () => {
    expect(flameBoxes(layerFlame([row('m', 1e6), row('m/a', 1)], 1e6, false))).to.have.length(2);
    expect(flameBoxes(layerFlame([row('m', 0)], 0, false))).to.deep.equal([]);
  });

  it('is no narrower than its layers, whose times may have fractions', () => {
    expect(layerFlame([row('m', 10.25)], 10, false).time).to.equal(10.25);
    expect(layerFlame([row('m', 10)], null, false).children).to.have.length(1);
  });

  it('counts branches below layers that are alone', () => {
    const names = (nodes: readonly FlameNode[]): string[] => nodes.map(({ name }) => name);
    expect(names(branching(layerFlame([row('m', 3), row('m/a', 2), row('m/b', 1)], 9, false)))).to.deep.equal([
      'a',
      'b',
    ]);
    expect(names(branching(ROOT))).to.deep.equal(['m', 'n']);
  });

  it('is moved in by arrows', () => {
    const boxes = flameBoxes(ROOT);
    const ways = { ArrowDown: 'b', ArrowUp: 'all work', ArrowRight: 'n' };
    for (const [key, name] of Object.entries(ways))
      expect(nextBox(boxes, find(boxes, 'm'), key)?.node.name).to.equal(name);
    expect(nextBox(boxes, find(boxes, 'm'), 'ArrowLeft')).to.equal(undefined);
    expect(nextBox(boxes, find(boxes, 'm'), 'x')).to.equal(undefined);
  });

  it('is of call stacks too', () => {
    const root = stackFlame(
      {
        frames: ['f', 'g'],
        parents: [-1, 0, 1],
        frameOf: [0, 1, 0],
        counts: [3, 2, 1],
        times: [30, 20, 10],
        leftOut: 0,
      },
      40,
    );
    expect(flameBoxes(root).map(({ node, width }) => [node.name, node.count, width])).to.deep.equal([
      ...[['all work', null, 1], ['f', 3, 0.75], ['g', 2, 0.5], ['f', 1, 0.25], ['no call stack', null, 0.25]],
    ]); // prettier-ignore
  });
});
