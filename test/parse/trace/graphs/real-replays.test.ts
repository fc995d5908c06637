/** Real replays with the captures of their graphs, against the captures' own JSON. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { openCaptures } from '../../../../src/parse/captures.js';
import { openInput } from '../../../../src/parse/source.js';
import type { KernelLine } from '../../../../src/record/record.js';
import { recordsOf } from '../../../support/profile-records.js';
import { annotate } from '../../../support/rows.js';
import { itShared } from '../../../support/shared.js';

interface Event {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly tid?: number;
  readonly ts: number;
  readonly dur: number;
  readonly args?: { readonly kernel?: string };
}

const eventsOf = (path: string): Event[] =>
  (JSON.parse(gunzipSync(readFileSync(path)).toString()) as { traceEvents: Event[] }).traceEvents;

/** The op and module around each launch of the only capture of a trace, in order of start time. */
function capturedIn(path: string): { kernel: string; op: string; module: string }[] {
  const events = eventsOf(path);
  const called = (name: string): Event => events.find((event) => event.name === name) as Event;
  const [begin, end] = [called('hipStreamBeginCapture'), called('hipStreamEndCapture')];
  const within = events.filter(
    ({ ph, tid, ts, dur }) => ph === 'X' && tid === begin.tid && ts + dur > begin.ts && ts < end.ts,
  );
  const inner = (all: readonly Event[], { ts, dur }: Event): string => {
    const around = all.filter((event) => event.ts <= ts && ts + dur <= event.ts + event.dur);
    return around.sort((a, b) => b.ts - a.ts || a.dur - b.dur)[0]?.name ?? '';
  };
  const ops = within.filter(({ cat }) => cat === 'cpu_op');
  const modules = within.filter(({ cat, name }) => cat === 'python_function' && name.startsWith('nn.Module: '));
  return within
    .filter(({ args }) => args?.kernel !== undefined)
    .sort((a, b) => a.ts - b.ts)
    .map((event) => ({
      kernel: event.args?.kernel ?? '',
      op: inner(ops, event).replace(/^\w+::/, ''),
      module: inner(modules, event).replace('nn.Module: ', ''),
    }));
}

/** Kernels of a profile that its graph launched, in order of start time. */
async function replayed(path: string, capture: string): Promise<KernelLine[]> {
  const input = await openInput(path);
  const captures = await openCaptures(capture, path);
  try {
    const records = recordsOf(input.path, { captures: captures.files });
    return records.filter((record): record is KernelLine => record.type === 'kernel' && record.graph !== undefined);
  } finally {
    captures.dispose();
    input.dispose();
  }
}

const PAIRS = [
  ['vLLM', 'graphs/vllm_decode.replay', 'graphs/vllm_decode.capture', 0.9],
  ['SGLang', 'mi300_hipgraph_decode', 'graphs/sglang_decode.capture', 0.99],
] as const;

describe('replays of graphs captured apart', () => {
  for (const [server, replay, capture, share] of PAIRS) {
    const files = [replay, capture].map((name) => `data/kineto/${name}.json.gz`);
    itShared(`${server}: have the op and module of the capture, kernel by kernel`, files, async ([path = '', captured = '']) => {
      const kernels = await replayed(path, captured);
      const expected = capturedIn(captured);
      expect(kernels.every(({ graph }) => graph?.from === 'capture' && graph.verified === true)).to.equal(true);
      // Without what the ops before a launch show of its operands, which no op is around.
      const ops = kernels.map(({ calls = [] }) => calls.findLast(({ mod }) => mod !== 'triton_kernels')?.op);
      expect(ops).to.deep.equal(expected.map(({ op }) => op));
      expect(kernels.map(({ layer }) => layer?.at(-1) ?? '')).to.deep.equal(expected.map(({ module }) => module));
      expect(kernels.every(({ grid, block }) => Array.isArray(grid) && Array.isArray(block))).to.equal(true);
    }); // prettier-ignore

    itShared(`${server}: have FLOPs for most of their time`, files, async ([path = '', captured = '']) => {
      const rows = annotate(await replayed(path, captured));
      const all = rows.reduce((sum, { record }) => sum + (record.dur ?? 0), 0);
      const known = rows.reduce((sum, { record, flops }) => sum + (flops === null ? 0 : (record.dur ?? 0)), 0);
      expect(known / all).to.be.at.least(share);
    });
  }
});
