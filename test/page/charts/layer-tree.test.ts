import { expect } from 'chai';
import { layerTree, openAtFirst, visibleLayers, type LayerNode } from '../../../src/page/charts/flame/flame-tree.js';
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
