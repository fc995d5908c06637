/** What `dprof summary -f json` has besides the summary. Real traces against Python over their events. */
import { expect } from 'chai';
import { entryOf } from '../../../src/containers/map-entry.js';
import type { ProfileDetails } from '../../../src/prof/summary/summary-data.js';
import { SummaryDetails } from '../../../src/prof/summary/details.js';
import { readProfile } from '../../../src/parse/profile.js';
import { openInput } from '../../../src/parse/source.js';
import type { ProfileLine, RangeRecord } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { neuronLines } from '../../support/neuron.js';
import { takeAll } from '../../support/rows.js';
import { fileOf } from '../../support/kineto.js';
import { runCli } from '../../support/run-cli.js';
import { itShared } from '../../support/shared.js';

function detailsOf(records: Iterable<ProfileLine>): ProfileDetails {
  const details = new SummaryDetails();
  takeAll(records, details);
  return details.of(0);
}

const range = (kind: RangeRecord['kind'], start: number, dur: number, text: string, tid = 100): RangeRecord => ({
  ...{ type: 'range', profile: 0, start, dur, pid: 10, tid, domain: null, text },
  ...(kind === undefined ? undefined : { kind, self: dur }),
});

/** Of a real trace, with all ranges. */
async function readDetails(path: string): Promise<ProfileDetails> {
  const source = await openInput(path);
  try {
    return detailsOf(readProfile(source.path, { profile: 0, ranges: true }));
  } finally {
    source.dispose();
  }
}

const known = new Map<string, Promise<ProfileDetails>>();
/** Two tests look at the same trace. */
const detailsOfTrace = (path: string): Promise<ProfileDetails> => entryOf(known, path, readDetails);

/** A kernel that its thread launches at a time. */
const launched = (id: number, at: number, start: number, dur = 10): ProfileLine =>
  kernel({ id, start, dur, launch: { api: 'cudaLaunchKernel', start: at, dur: 5 }, ranges: ['work'] });

interface Expected {
  readonly file: string;
  readonly ops: readonly [span: number, time: number, threads: readonly number[]];
  readonly latency: readonly [count: number, total: number, min: number, p50: number, p90: number, p99: number, max: number]; // prettier-ignore
}

/**
 * Ops: the union of the events of category cpu_op, by thread. Latency: start of each kernel less that of the call with its
 * correlation id; percentiles are the values of those ranks.
 */
const REAL: readonly Expected[] = [
  {
    file: 'h100_bert_small',
    ops: [4007818, 2108422, [2108422]],
    latency: [60, 422406, 5345, 6496, 8348, 16683, 16683],
  },
  {
    file: 'h100_owlv2',
    ops: [1210509372, 501129319, [501129319]],
    latency: [4330, 244422217532, 5519, 70372267, 81904081, 84959070, 85751310],
  },
  {
    file: 'a100_rank3of8_training',
    ops: [465142000, 357776000, [184212000, 173564000]],
    latency: [8568, 17728395000, 6000, 592000, 9141000, 10973000, 11692000],
  },
  {
    // Without the four events of TorchDynamo, which are not dispatcher ops.
    file: 'b200_rank0of8',
    ops: [86428685, 64958434, [64958434]],
    latency: [768, 15434635, 7723, 10060, 33061, 143789, 152423],
  },
];

describe('details of a profile', () => {
  after(() => {
    known.clear();
  });

  for (const { file, ops, latency } of REAL) {
    itShared(`are those of the events of ${file}`, [fileOf(file)], async ([path = '']) => {
      const found = await detailsOfTrace(path);
      const [span, time, threads] = ops;
      expect(found.ops).to.include({ span, time });
      expect(found.ops?.threads.map((thread) => thread.time)).to.deep.equal(threads);
      expect(found.ops?.threads[0]?.share).to.be.closeTo((threads[0] ?? NaN) / span, 1e-12);
      const [count, total, min, p50, p90, p99, max] = latency;
      const [launches, ...others] = found.launches;
      expect([others.length, launches?.unknown, launches?.early]).to.deep.equal([0, 0, 0]);
      const times = launches?.latency;
      expect(times).to.include({ count, total, min, max });
      for (const [quantile = NaN, exact] of [
        [times?.p50, p50],
        [times?.p90, p90],
        [times?.p99, p99],
      ] as const) {
        // prettier-ignore
        expect(quantile).to.be.within(exact * 0.99, exact * 1.01);
      }
    });
  }

  itShared('have the durations of annotations on the host', [fileOf('a100_rank3of8_training')], async ([path = '']) => {
    const { annotations } = await detailsOfTrace(path);
    const of = (text: string) => annotations.find((one) => one.text === text);
    // Sorted durations of the user_annotation events of these names.
    expect(of('## backward ##')?.host).to.include({ count: 6, total: 206813000, min: 32120000, max: 36177000 });
    expect(of('ProfilerStep#')?.host).to.include({ count: 6, total: 464945000, min: 75473000, max: 81120000 });
    expect(of('## backward ##')?.device?.count).to.be.above(0);
  });

  it('count ops within ops once, by thread', () => {
    const { ops } = detailsOf([
      ...[range('op', 0, 100, 'a'), range('op', 10, 50, 'b'), range('annotation', 20, 500, 'no op')],
      ...[range('op', 90, 40, 'c', 7), range('op', 150, 50, 'd'), kernel({ start: 300 })],
    ]);
    expect(ops).to.deep.equal({
      ...{ start: 0, span: 200, time: 190 },
      threads: [
        { pid: 10, tid: 100, time: 150, share: 0.75 },
        { pid: 10, tid: 7, time: 40, share: 0.2 },
      ],
    });
  });

  it('have latencies from the begin of the call, by device, and times of both sides of an annotation', () => {
    const { launches, annotations, utilisation } = detailsOf([
      ...[range('annotation', 0, 60, 'work'), launched(1, 10, 110, 20), launched(2, 20, 140, 40)],
      ...[range('annotation', 200, 90, 'work'), launched(3, 210, 300, 100)],
      ...[kernel({ id: 4, start: 500, launch: null, device: 1 }), launched(5, 620, 600)],
    ]);
    expect(
      launches.map(({ device, latency, unknown, early }) => [device, latency?.total ?? null, unknown, early]),
    ).to.deep.equal([
      // 100 + 120 + 90; the last starts before its call.
      [0, 310, 0, 1],
      [1, null, 1, 0],
    ]);
    const [work] = annotations;
    expect(work?.host).to.include({ count: 2, total: 150, min: 60, max: 90 });
    // Kernels launched within one range are one occurrence; the last is in none.
    expect(work?.device).to.include({ count: 3, min: 10, max: 100, total: 170 });
    expect(utilisation.devices.map(({ device }) => device)).to.deep.equal([0, 1]);
  });

  it('are in the JSON alone', async () => {
    const input = neuronLines([range('op', 0, 100, 'a'), launched(1, 10, 110)]);
    const { stdout } = await runCli('dprof', ['summary', '-f', 'jsonl'], { input });
    const found = JSON.parse(stdout) as Record<string, unknown>;
    expect(found).to.include.keys('devices', 'utilisation', 'launches', 'annotations', 'ops', 'cpu');
    expect(found['ops']).to.include({ span: 100, time: 100 });
    expect((await runCli('dprof', ['summary'], { input })).stdout).to.not.include('latency');
  });
});
