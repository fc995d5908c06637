import { expect } from 'chai';
import { flameBoxes, branching } from '../../../src/page/charts/flame-layout.js';
import { layerTree, openAtFirst, visibleLayers, type LayerNode } from '../../../src/page/charts/layer-tree.js';
import type { LayerRow } from '../../../src/prof/html/page-data.js';

const row = (path: string, time: number): LayerRow => ({
  ...{
    path: path.split('/'),
    count: 1,
    time,
    own: 0,
    forward: 0,
    backward: 0,
    ownBackward: 0,
    flops: null,
    bytes: null,
    why: { all: null, forward: null, backward: null },
  },
});

const ROWS = [row('m', 100), row('m/a', 60), row('m/a/x', 40), row('m/a/y', 20), row('m/b', 30), row('n', 100)];

const names = (nodes: readonly LayerNode[]): string[] => nodes.map(({ name }) => name);

describe('layer tree of a page', () => {
  it('puts layers under their parents', () => {
    const [m, n] = layerTree(ROWS);
    expect(names(m?.children ?? [])).to.deep.equal(['a', 'b']);
    expect(names(m?.children[0]?.children ?? [])).to.deep.equal(['x', 'y']);
    expect(m?.children[0]?.children[0]?.depth).to.equal(2);
    expect(n?.children).to.deep.equal([]);
  });

  it('puts a layer whose parent is left out under its nearest ancestor, named by the rest of its path', () => {
    const [m, other] = layerTree([row('m', 9), row('m/a/x', 5), row('q/r', 1)]);
    expect(names(m?.children ?? [])).to.deep.equal(['a / x']);
    expect(other?.name).to.equal('q / r');
  });

  it('opens from the top as long as rows fit', () => {
    const roots = layerTree(ROWS);
    expect(names([...openAtFirst(roots, 4)])).to.deep.equal(['m']);
    expect(names([...openAtFirst(roots, 6)])).to.deep.equal(['m', 'a']);
    expect(openAtFirst(roots, 3).size).to.equal(0);
  });

  it('shows the children of open layers', () => {
    const roots = layerTree(ROWS);
    expect(names(visibleLayers(roots, new Set()))).to.deep.equal(['m', 'n']);
    expect(names(visibleLayers(roots, openAtFirst(roots, 9)))).to.deep.equal(['m', 'a', 'x', 'y', 'b', 'n']);
  });
});

describe('flame chart of a page', () => {
  it('gives each layer its part of the width, beneath its parent', () => {
    const boxes = flameBoxes(layerTree(ROWS));
    const at = (name: string): (number | undefined)[] => {
      const box = boxes.find(({ node }) => node.name === name);
      return [box?.left, box?.width, box?.row];
    };
    expect(at('m')).to.deep.equal([0, 0.5, 0]);
    expect(at('a')).to.deep.equal([0, 0.3, 1]);
    expect(at('x')).to.deep.equal([0, 0.2, 2]);
    expect(at('y')).to.deep.equal([0.2, 0.1, 2]);
    expect(at('b')).to.deep.equal([0.3, 0.15, 1]);
    expect(at('n')).to.deep.equal([0.5, 0.5, 0]);
  });

  it('leaves out invisible layers, and is empty without time', () => {
    expect(flameBoxes(layerTree([row('m', 1e6), row('m/a', 1)]))).to.have.length(1);
    expect(flameBoxes(layerTree([row('m', 0)]))).to.deep.equal([]);
  });

  it('counts branches below layers that are alone', () => {
    expect(names(branching(layerTree([row('m', 3), row('m/a', 2), row('m/b', 1)])))).to.deep.equal(['a', 'b']);
    expect(names(branching(layerTree(ROWS)))).to.deep.equal(['m', 'n']);
  });
});
