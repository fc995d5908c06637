import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readProfile } from '../../../src/parse/profile.js';
import { openInput } from '../../../src/parse/source.js';
import type { ProfileLine } from '../../../src/record/record.js';
import type { HostSummary } from '../../../src/prof/summary/summary-data.js';
import { Steps } from '../../../src/prof/steps/steps.js';
import { activity, annotation, frame, kernel, op, read, runtime } from '../../support/kineto-trace.js';
import { overviewOf } from '../../support/overviews.js';
import { itShared } from '../../support/shared.js';

const TRACE = 'data/kineto/cpu_only_torch_2_13.pt.trace.json.gz';

interface TraceEvent {
  readonly ph: string;
  readonly cat?: string;
  readonly name: string;
  readonly ts: number;
  readonly dur: number;
}

/** Complete events of a trace's JSON, of some categories. */
function eventsOf(path: string, ...categories: readonly string[]): TraceEvent[] {
  const trace = JSON.parse(gunzipSync(readFileSync(path)).toString()) as { readonly traceEvents: TraceEvent[] };
  return trace.traceEvents.filter(({ ph, cat }) => ph === 'X' && categories.includes(cat ?? ''));
}

const ns = (us: number): number => Math.round(us * 1000);

async function recordsOf(path: string): Promise<ProfileLine[]> {
  const source = await openInput(path);
  const records = [...readProfile(source.path, { profile: 0, ranges: 'without-work' })];
  source.dispose();
  return records;
}

async function hostOf(path: string): Promise<HostSummary> {
  const { host } = overviewOf(await recordsOf(path));
  if (host === null) throw new Error('no host');
  return host;
}

describe('Summary of a profile in which no device worked', () => {
  const events = [
    annotation('ProfilerStep#4', 0, 100),
    frame('nn.Module: Linear_0', 10, 50),
    op('aten::linear', 12, 42),
    op('aten::addmm', 15, 35),
    op('aten::addmm', 60, 70),
  ];

  it('has the time of each op, annotation and layer, without what is within', () => {
    const { host, devices, kernels } = overviewOf(read(events, { ranges: 'without-work' }));
    expect({ devices, kernels }).to.deep.equal({ devices: [], kernels: null });
    expect(host).to.deep.equal({
      threads: 1,
      time: 100_000,
      kinds: [
        // 100 less the layer's 40 and the other op's 10.
        { name: 'annotation', count: 1, time: 50_000 },
        { name: 'op', count: 3, time: 40_000 },
        { name: 'layer', count: 1, time: 10_000 },
      ],
      ops: [
        { name: 'addmm', count: 2, time: 30_000, total: 30_000 },
        { name: 'linear', count: 1, time: 10_000, total: 30_000 },
      ],
      annotations: [{ name: 'ProfilerStep#4', count: 1, time: 50_000, total: 100_000 }],
      layers: [{ name: 'Linear_0', count: 1, time: 10_000, total: 40_000 }],
      steps: { count: 1, median: 100_000, min: 100_000, max: 100_000 },
    });
  });

  it('is of the host too where a device was only waited for', () => {
    const wait = [runtime('cudaDeviceSynchronize', 3, 80, 90), activity('cuda_sync', 'Context Sync', 3, 81)];
    expect(overviewOf(read([...events, ...wait], { ranges: 'without-work' })).host).to.deep.include({
      threads: 1,
      time: 100_000,
    });
  });

  it('is of the host only then: ranges are not even read where a device worked', () => {
    const records = read([...events, kernel('k', 1, 20)], { ranges: 'without-work' });
    expect(records.filter(({ type }) => type === 'range')).to.deep.equal([]);
    expect(overviewOf(read([...events, kernel('k', 1, 20)], { ranges: true })).host).to.equal(null);
  });

  itShared('counts and times of ops are those of the trace', [TRACE], async ([path = '']) => {
    const { ops } = await hostOf(path);
    const sums = new Map<string, { count: number; total: number }>();
    for (const { name: dispatched, dur } of eventsOf(path, 'cpu_op')) {
      // A range that a program names, of whatever category, is no op: `detach` within `aten::detach`.
      if (!/::|Backward/.test(dispatched)) continue;
      const name = dispatched.replace(/^(?:aten::|torch::autograd::)/, '');
      const { count, total } = sums.get(name) ?? { count: 0, total: 0 };
      sums.set(name, { count: count + 1, total: total + ns(dur) });
    }
    expect(ops).to.have.length(Math.min(50, sums.size));
    for (const { name, count, total } of ops) expect({ name, count, total }).to.deep.equal({ name, ...sums.get(name) });
  });

  itShared('times of their own add up to the time of the outermost event', [TRACE], async ([path = '']) => {
    const host = await hostOf(path);
    const all = eventsOf(path, 'cpu_op', 'user_annotation', 'python_function');
    expect(host.kinds.reduce((sum, { count }) => sum + count, 0)).to.equal(all.length);
    expect(host.time).to.equal(ns(Math.max(...all.map(({ dur }) => dur))));
  });

  itShared('steps have their time on the host', [TRACE], async ([path = '']) => {
    const steps = new Steps();
    for (const record of await recordsOf(path)) steps.take(record);
    const rows = steps.finish().facts.flatMap((profile) => profile.rows);
    const [first, second] = eventsOf(path, 'user_annotation').filter(({ name }) => name.startsWith('ProfilerStep#'));
    if (first === undefined || second === undefined) throw new Error('no steps');
    expect(rows.map(({ device, step, iteration }) => ({ device, step, iteration }))).to.deep.equal([
      { device: null, step: 1, iteration: ns(second.ts - first.ts) },
      { device: null, step: 2, iteration: ns(second.dur) },
    ]);
    expect((await hostOf(path)).steps).to.include({ count: 2, max: ns(second.ts - first.ts), min: ns(second.dur) });
  });
});
