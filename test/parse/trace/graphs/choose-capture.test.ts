import { expect } from 'chai';
import fc from 'fast-check';
import type { PlacedGraph, Shape } from '../../../../src/parse/trace/graphs/capture-shapes.js';
import { readCaptureName } from '../../../../src/parse/trace/graphs/captured-graph.js';
import { chooseCaptures, type ShapedLaunch } from '../../../../src/parse/trace/graphs/graph-origins.js';
import { readServingStep } from '../../../../src/record/serving-step.js';

const graph = (name: string, ordinal: number): PlacedGraph => ({
  ...{ name, nodes: [], batch: null, mode: null, ordinal },
  ...readCaptureName(name),
});

/** Names of the captures that launches take, in steps of these names or with ids of graphs. */
function chosen(captures: readonly string[], launches: readonly (string | number | null)[]): unknown[] {
  const shape = { numbers: Uint32Array.of(1), isNamed: true, graphs: captures.map(graph) };
  const shaped = launches.map((at, call): ShapedLaunch => {
    const step = typeof at === 'string' ? readServingStep(at) : null;
    const replay = { call, rows: new Uint32Array(0), byNode: false };
    return { replay, match: { shape, nodes: null }, thread: 0, graphId: typeof at === 'number' ? at : null, step };
  });
  return chooseCaptures(shaped).map(({ graph: { name }, isByOrder }) => (isByOrder ? [name] : name));
}

const decode = (batch: number): string => `execute_${batch}_context_0(sq0sk0sqsq0sqsk0)_generation_${batch}(sq${batch}sk9sqsq1sqsk9)`; // prettier-ignore

describe('which of several captures of one sequence a launch replays', () => {
  it('is the smallest with room for its step', () => {
    const captures = ['capture_32_FULL', 'capture_8_FULL', 'capture_16_FULL'];
    const steps = [decode(7), decode(8), decode(9), decode(32), 'step[DECODE bs=16 toks=16]'];
    expect(chosen(captures, steps)).to.deep.equal(['capture_8_FULL', 'capture_8_FULL', 'capture_16_FULL', 'capture_32_FULL', 'capture_16_FULL']); // prettier-ignore
  });

  it('is one of the mode that its step has', () => {
    const mixed = 'execute_8_context_1(sq7sk7sqsq49sqsk49)_generation_1(sq1sk9sqsq1sqsk9)';
    expect(chosen(['capture_8_FULL', 'capture_8_PIECEWISE'], [decode(8), mixed])).to.deep.equal(['capture_8_FULL', 'capture_8_PIECEWISE']); // prettier-ignore
  });

  it('is the next of those that are left, in turn', () => {
    const pieces = ['capture_8_PIECEWISE', 'capture_8_PIECEWISE'];
    expect(chosen(pieces, [null, null, null])).to.deep.equal([[pieces[0]], [pieces[1]], [pieces[0]]]);
    expect(chosen(['capture_8_FULL'], [null, null])).to.deep.equal(['capture_8_FULL', 'capture_8_FULL']);
  });

  it('is the next after what its thread replayed before, whatever sequence that has', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 10 }),
        (layers, lost) => {
          const pieces = ['first', ...Array.from({ length: layers }, (_, i) => `layer ${i}`), 'last'];
          const graphs = pieces.map(graph);
          const shapes = [graphs.slice(0, 1), graphs.slice(1, -1), graphs.slice(-1)].map((own, i) => ({
            numbers: Uint32Array.of(i),
            isNamed: true,
            graphs: own,
          }));
          const all = Array.from({ length: 4 * pieces.length }, (_, call) => ({
            pass: Math.floor(call / pieces.length),
            piece: call % pieces.length,
          }));
          // Two threads replay all pieces side by side.
          const launches = all
            .filter((_, i) => !lost.includes(i))
            .flatMap(({ pass, piece }) =>
              [0, 1].map((thread) => {
                const shape = shapes[piece === 0 ? 0 : piece === pieces.length - 1 ? 2 : 1] as Shape;
                const replay = { call: 0, rows: new Uint32Array(0), byNode: false };
                return {
                  pass,
                  piece,
                  launch: { replay, match: { shape, nodes: null }, thread, graphId: null, step: null },
                };
              }),
            );
          const choices = chooseCaptures(launches.map(({ launch }) => launch));
          // A pass from its first piece on, without one missing, has all its pieces.
          const isWhole = (of: number): boolean =>
            pieces.every((_, piece) => !lost.includes(of * pieces.length + piece));
          for (const [i, { pass, piece }] of launches.entries()) {
            if (isWhole(pass)) expect(choices[i]?.graph.name).to.equal(pieces[piece]);
          }
        },
      ),
    );
  });

  it('is that of its graph: graphs are numbered in the order of their captures', () => {
    expect(chosen(['a', 'b'], [12, 7, 12, 7])).to.deep.equal(['b', 'a', 'b', 'a']);
    expect(chosen(['a', 'b'], [7, 7])).to.deep.equal([['a'], ['a']]);
  });

  it('is that of its graph among those with room for its step', () => {
    const sized = ['capture_4_FULL', 'capture_4_FULL', 'capture_8_FULL', 'capture_8_FULL'];
    const shape = { numbers: Uint32Array.of(1), isNamed: true, graphs: sized.map(graph) };
    // Three of four graphs are replayed: both of 8 requests, one of 4.
    const launches = ([[20, 4], [31, 8], [32, 8], [31, 8]] as const).map(([graphId, batch], call): ShapedLaunch => ({
      ...{ replay: { call, rows: new Uint32Array(0), byNode: false }, match: { shape, nodes: null }, thread: 0 },
      ...{ graphId, step: readServingStep(decode(batch)) },
    })); // prettier-ignore
    const choices = chooseCaptures(launches).map(({ graph: { ordinal }, isByOrder }) => [ordinal, isByOrder]);
    expect(choices).to.deep.equal([[0, true], [2, false], [3, false], [2, false]]); // prettier-ignore
  });

  it('is any where no capture has room', () => {
    expect(chosen(['capture_8_FULL', 'capture_16_FULL'], [decode(64)])).to.deep.equal([['capture_8_FULL']]);
  });
});

describe('names of captures', () => {
  it('have size and mode', () => {
    expect(readCaptureName('capture_32_FULL')).to.deep.equal({ batch: 32, mode: 'FULL' });
    expect(readCaptureName('capture_8192_PIECEWISE')).to.deep.equal({ batch: 8192, mode: 'PIECEWISE' });
    expect(readCaptureName('graph_capture: batch=4 mode=FULL')).to.deep.equal({ batch: 4, mode: 'FULL' });
    expect(readCaptureName('capture_16')).to.deep.equal({ batch: 16, mode: null });
    for (const other of [
      'recapture',
      'capture',
      'captured_4_FULL',
      'capture_4_FULL_5_6',
      `capture_${'9'.repeat(300)}`,
    ]) {
      expect(readCaptureName(other), other).to.equal(null);
    }
  });
});
