import { expect } from 'chai';
import fc from 'fast-check';
import { NO_CONTEXT } from '../../../../src/parse/trace/launch-steps.js';
import type { CapturedGraph, CapturedNode, NodeKind } from '../../../../src/parse/trace/graphs/captured-graph.js';
import { CaptureShapes, NodeNames, type LaunchSequence } from '../../../../src/parse/trace/graphs/capture-shapes.js';

const node = (name: string | null, kind: NodeKind = 'kernel'): CapturedNode => ({
  ...{ kind, name, grid: null, block: null, context: NO_CONTEXT },
});

const graph = (names: readonly (string | null)[]): CapturedGraph => ({
  ...{ name: null, batch: null, mode: null },
  nodes: names.map((name) => node(name)),
});

const names = new NodeNames();
const shapesOf = (...graphs: readonly CapturedGraph[]): CaptureShapes => new CaptureShapes(graphs, names);

/** Work in order of start time, each on a stream. */
function launch(
  work: readonly string[],
  streams: readonly number[] = work.map(() => 0),
  byNode = false,
): LaunchSequence {
  const numbers = Uint32Array.from(work, (name) => names.numberOf('kernel', name));
  return { numbers, streams: Float64Array.from(streams), byNode };
}

/** Positions of the nodes that the work is matched to; null for no match. */
function positions(shapes: CaptureShapes, work: LaunchSequence): number[] | null {
  const match = shapes.match(work);
  if (match === null) return null;
  return match.nodes === null ? Array.from(work.numbers, (_, i) => i) : [...match.nodes];
}

/** Nodes with a stream each, and an order of their starts that keeps each stream's own. */
const streamed = fc
  .array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 30 })
  .chain((streams) => fc.tuple(fc.constant(streams), fc.array(fc.nat(), { minLength: streams.length, maxLength: streams.length }))); // prettier-ignore

function startOrder(streams: readonly number[], picks: readonly number[]): number[] {
  const queues = [...new Set(streams)].map((stream) => [...streams.keys()].filter((i) => streams[i] === stream));
  return picks.map((pick) => {
    const waiting = queues.filter(({ length }) => length > 0);
    return waiting[pick % waiting.length]?.shift() ?? -1;
  });
}

describe('the capture that a launch replays', () => {
  it('is found on several streams, each in the order of capture', () => {
    fc.assert(
      fc.property(streamed, ([streams, picks]) => {
        const all = streams.map((_, i) => `k${i}`);
        const order = startOrder(streams, picks);
        const work = launch(order.map((i) => all[i] ?? ''), order.map((i) => streams[i] ?? 0)); // prettier-ignore
        expect(positions(shapesOf(graph(all)), work)).to.deep.equal(order);
      }),
    );
  });

  it('has equal names at all matched nodes, each node once, where kernels repeat', () => {
    let matched = 0;
    fc.assert(
      fc.property(streamed, ([streams, picks]) => {
        const all = streams.map((_, i) => `r${i % 3}`);
        const order = startOrder(streams, picks);
        const work = order.map((i) => all[i] ?? '');
        const found = positions(shapesOf(graph(all)), launch(work, order.map((i) => streams[i] ?? 0))); // prettier-ignore
        if (found === null) return;
        matched++;
        expect(found.map((i) => all[i])).to.deep.equal(work);
        expect(new Set(found).size).to.equal(work.length);
      }),
    );
    expect(matched).to.be.above(0);
  });

  it('may have one node more than the launch, the last, and no other difference', () => {
    const shapes = shapesOf(graph(['a', 'b', 'c', 'd']));
    expect(positions(shapes, launch(['a', 'b', 'c']))).to.deep.equal([0, 1, 2]);
    for (const work of [['a', 'b'], ['b', 'c', 'd'], ['a', 'b', 'd'], ['a', 'b', 'c', 'd', 'e'], ['b', 'a', 'c', 'd'], ['a', 'b', 'c', 'x']]) {
      expect(positions(shapes, launch(work)), work.join()).to.equal(null);
    } // prettier-ignore
  });

  it('is a whole one before one whose last node is missing', () => {
    const shapes = shapesOf(graph(['a', 'b', 'c']), graph(['a', 'b']));
    expect(shapes.match(launch(['a', 'b']))?.shape.numbers.length).to.equal(2);
  });

  it('without names is one of as many kernels, in the order of nodes or on one stream', () => {
    const shapes = shapesOf(graph([null, null, null]));
    expect(positions(shapes, launch(['a', 'b', 'c']))).to.deep.equal([0, 1, 2]);
    expect(positions(shapes, launch(['a', 'b', 'c'], [0, 1, 0]))).to.equal(null);
    expect(positions(shapes, launch(['a', 'b', 'c'], [0, 1, 0], true))).to.deep.equal([0, 1, 2]);
    expect(positions(shapes, launch(['a', 'b']))).to.equal(null);
  });

  it("compares copies and memsets by their kind, which HIP may run as its runtime's kernels", () => {
    const shapes = shapesOf({ ...graph(['a']), nodes: [node('a'), node(null, 'copy'), node(null, 'set')] });
    const runtime = ['a', '__amd_rocclr_copyBuffer', '__amd_rocclr_fillBufferAligned'];
    expect(positions(shapes, launch(runtime))).to.deep.equal([0, 1, 2]);
    expect(positions(shapes, launch(runtime.toReversed()))).to.equal(null);
  });

  it('has the nodes of each graph within it, whichever was captured before', () => {
    const within = node(null, 'graph');
    const holding = { ...graph([]), nodes: [node('x'), within, node('y'), within] };
    const shapes = shapesOf(graph(['a']), graph(['b', 'c']), holding, graph(['d']));
    for (const [first, second] of [['a', 'a'], ['a', 'b c'], ['b c', 'a'], ['b c', 'b c']] as const) {
      const work = ['x', ...first.split(' '), 'y', ...second.split(' ')];
      expect(shapes.match(launch(work))?.shape.numbers.length, work.join()).to.equal(work.length);
    } // prettier-ignore
    expect(shapes.match(launch(['x', 'd', 'y', 'a']))).to.equal(null);
    expect(shapesOf(holding).match(launch(['x', 'y']))).to.equal(null);
  });

  it('takes no longer where each graph holds others that hold others', () => {
    // In time that grows with the ways to choose them it would not end before the tests give up.
    const names = Array.from({ length: 300 }, (_, i) => `k${i}`);
    const nodes = [...graph(names).nodes, node(null, 'graph')];
    const holding = Array.from({ length: 400 }, () => ({ ...graph([]), nodes }));
    const shapes = shapesOf(graph(names), ...holding);
    expect(shapes.match(launch([...names, ...names]))?.shape.numbers.length).to.equal(600);
  });
});
