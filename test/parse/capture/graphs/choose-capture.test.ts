import { expect } from 'chai';
import type { CapturedGraph } from '../../../../src/parse/capture/graphs/captured-graph.js';
import { readCaptureName } from '../../../../src/parse/capture/graphs/captured-graph.js';
import { chooseCaptures, type ShapedLaunch } from '../../../../src/parse/capture/graphs/choose-capture.js';
import { readServingStep } from '../../../../src/record/serving-step.js';

const graph = (name: string): CapturedGraph => ({ name, nodes: [], batch: null, mode: null, ...readCaptureName(name) });

/** Names of the captures that launches take, in steps of these names or with ids of graphs. */
function chosen(captures: readonly string[], launches: readonly (string | number | null)[]): unknown[] {
  const shape = { numbers: Uint32Array.of(1), isNamed: true, graphs: captures.map(graph) };
  const shaped = launches.map((at, call): ShapedLaunch => {
    const step = typeof at === 'string' ? readServingStep(at) : null;
    const replay = { call, rows: new Uint32Array(0), byNode: false };
    return { replay, match: { shape, nodes: null }, graphId: typeof at === 'number' ? at : null, step };
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
    const pieces = ['capture_8_PIECEWISE', 'capture_8_PIECEWISE '].map((name) => name.trim());
    expect(chosen(pieces, [null, null, null])).to.deep.equal([[pieces[0]], [pieces[1]], [pieces[0]]]);
    expect(chosen(['capture_8_FULL'], [null, null])).to.deep.equal(['capture_8_FULL', 'capture_8_FULL']);
  });

  it('is that of its graph: graphs are numbered in the order of their captures', () => {
    expect(chosen(['a', 'b'], [12, 7, 12, 7])).to.deep.equal(['b', 'a', 'b', 'a']);
    expect(chosen(['a', 'b'], [7, 7])).to.deep.equal([['a'], ['a']]);
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
