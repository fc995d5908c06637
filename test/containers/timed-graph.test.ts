import { expect } from 'chai';
import { TimedGraph } from '../../src/containers/timed-graph.js';

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly lag: number;
}

/** Numbers that only a seed decides (a linear congruence, constants of Numerical Recipes). */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Every path that ends at a node, by its length from the time at which it begins. */
function lengthsOfPaths(node: number, edges: readonly Edge[], begins: (node: number) => number | null): number[] {
  const begun = begins(node);
  if (begun !== null) return [begun];
  const into = edges.filter(({ to }) => to === node);
  return [
    ...(into.length === 0 ? [0] : []),
    ...into.flatMap(({ from, lag }) => lengthsOfPaths(from, edges, begins).map((length) => length + lag)),
  ];
}

/** The latest time to which any path leads, where no node after the beginning is before `from`. */
function longest(node: number, edges: readonly Edge[], from: number, begins: (node: number) => number | null): number {
  const into = edges.filter(({ to }) => to === node);
  return begins(node) ?? Math.max(from, ...into.map((edge) => longest(edge.from, edges, from, begins) + edge.lag));
}

/** A graph of up to 9 nodes, many at the same time, whose edges follow a hidden order. */
function randomGraph(seed: number): { readonly times: number[]; readonly edges: Edge[] } {
  const next = random(seed);
  const count = 2 + next(8);
  const times = Array.from({ length: count }, () => next(5));
  const rank = times.map(() => next(1000));
  const comesBefore = (a: number, b: number): boolean =>
    times[a] !== times[b] ? Number(times[a]) < Number(times[b]) : Number(rank[a]) < Number(rank[b]);
  const edges: Edge[] = [];
  for (let from = 0; from < count; from++)
    for (let to = 0; to < count; to++) if (comesBefore(from, to) && next(5) < 2) edges.push({ from, to, lag: next(6) });
  return { times, edges };
}

function graphOf(times: readonly number[], edges: readonly Edge[]): TimedGraph {
  const graph = new TimedGraph();
  for (const time of times) graph.addNode(time);
  for (const [tag, { from, to, lag }] of edges.entries()) graph.addEdge(from, to, lag, tag);
  return graph;
}

describe('graph of moments', () => {
  it('replays 10,000 random graphs as the longest of all their paths, each followed from end to end', () => {
    for (let seed = 1; seed <= 10_000; seed++) {
      const { times, edges } = randomGraph(seed);
      const from = random(seed + 1e6)(4);
      const graph = graphOf(times, edges);
      const ordered = graph.ordered();
      const replayed = graph.times.slice();
      ordered.replay(replayed, from, Infinity);
      const begins = (node: number): number | null => (Number(times[node]) <= from ? Number(times[node]) : null);
      const expected = times.map((_, node) => longest(node, edges, from, begins));
      expect([...replayed], `seed ${seed}`).to.deep.equal(expected);
      expect(ordered.cycles, `seed ${seed}`).to.equal(0);
    }
  });

  it('finds a path as long as the time between its ends', () => {
    for (let seed = 1; seed <= 10_000; seed++) {
      const { times, edges } = randomGraph(seed);
      const graph = graphOf(times, edges);
      const ordered = graph.ordered();
      const replayed = graph.times.slice();
      ordered.replay(replayed, -1, Infinity);
      for (let node = 0; node < times.length; node++) {
        let [begin, length] = [node, 0];
        for (const step of ordered.pathTo(node, replayed, -Infinity)) {
          expect(step.to).to.equal(begin);
          [begin, length] = [step.from, length + graph.lagOf(step.edge)];
        }
        const paths = lengthsOfPaths(node, edges, (at) => (edges.some(({ to }) => to === at) ? null : -1));
        expect(Number(replayed[begin]) + length, `seed ${seed}`).to.equal(replayed[node]);
        expect(replayed[node], `seed ${seed}`).to.equal(Math.max(-1, ...paths));
      }
    }
  });

  it('leaves out edges against time, and opens circles of moments at one time', () => {
    const graph = graphOf(
      [5, 5, 5, 9],
      [
        { from: 0, to: 1, lag: 0 },
        { from: 1, to: 2, lag: 0 },
        { from: 2, to: 0, lag: 0 },
        { from: 3, to: 0, lag: 1 },
        { from: 2, to: 3, lag: 4 },
      ],
    );
    const ordered = graph.ordered();
    const times = graph.times.slice();
    ordered.replay(times, 0, Infinity);
    expect([graph.backward, ordered.cycles]).to.deep.equal([1, 1]);
    // Nothing holds the three back, so they are at the beginning, 0.
    expect([...times]).to.deep.equal([0, 0, 0, 4]);
  });

  it('replays with other lags', () => {
    const graph = graphOf(
      [0, 10, 15],
      [
        { from: 0, to: 1, lag: 10 },
        { from: 1, to: 2, lag: 5 },
        { from: 0, to: 2, lag: 8 },
      ],
    );
    const ordered = graph.ordered();
    const times = graph.times.slice();
    ordered.replay(times, 0, 15, (edge) => (graph.tagOf(edge) === 0 ? 2 : graph.lagOf(edge)));
    expect([...times]).to.deep.equal([0, 2, 8]);
  });

  it('appends another graph on another clock: lags that were whole times stay so, others do not change', () => {
    const graph = graphOf([0, 5], [{ from: 0, to: 1, lag: 5 }]);
    const other = graphOf([10, 20, 30], [{ from: 0, to: 1, lag: 10 }, { from: 1, to: 2, lag: 3 }, { from: 0, to: 2, lag: 19 }]); // prettier-ignore
    // The other clock runs half as fast again, and is 5 behind: 10, 20 and 30 are 10, 25 and 40 here.
    expect(graph.append(other, (time) => time * 1.5 - 5)).to.deep.equal({ node: 2, edge: 1 });
    expect(Array.from(graph.times)).to.deep.equal([0, 5, 10, 25, 40]);
    const edges = [1, 2, 3].map((edge) => [graph.sourceOf(edge), graph.lagOf(edge), graph.tagOf(edge)]);
    expect(edges).to.deep.equal([[2, 15, 0], [3, 3, 1], [2, 19, 2]]); // prettier-ignore
    expect([2, 3, 4].map((node) => graph.lastInto(node))).to.deep.equal([-1, 1, 3]);
    expect([graph.nextInto(1), graph.nextInto(3)]).to.deep.equal([-1, 2]);
  });
});
