import { expect } from 'chai';
import { join } from 'node:path';
import { piecesOfSpan } from '../../../src/page/span/span-events.js';
import { SpanSums, type SpanProfile } from '../../../src/page/span/span-profile.js';
import { loadEvents } from '../../../src/page/timeline/events/events.js';
import { isOfFramework } from '../../../src/page/charts/annotation-kinds.js';
import type { SelectedSpan } from '../../../src/page/timeline/model/view.js';
import type { PageContents, PageProfile } from '../../../src/prof/html/page-data.js';
import type { PageTimeline } from '../../../src/prof/html/timeline/timeline-data.js';
import { cutText } from '../../../src/record/plural.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { A100, profileOn } from '../../support/devices.js';
import { kernel, mm } from '../../support/kernels.js';
import { pageContentsOf, pageContentsOfFile, pieceOf } from '../../support/pages.js';
import { runCli } from '../../support/run-cli.js';
import { itEachShared, itShared, itSharedLong, ROOT } from '../../support/shared.js';

/** The data of the first profile of a page within a span; null when the page does not hold each event in it. */
async function within({ data, parts }: PageContents, span: SelectedSpan): Promise<SpanProfile | null> {
  const [profile] = data.profiles;
  if (profile === undefined || profile.timeline === null) throw new Error('no timeline');
  const pieces = piecesOfSpan(profile.timeline, span);
  if (pieces === null) return null;
  const sums = new SpanSums(profile, span);
  for (const { piece, from, to } of pieces) {
    const timeline = pieceOf(parts, 0, piece);
    if (timeline === null) throw new Error(`no piece ${piece}`);
    sums.take({ from, to, events: await loadEvents(timeline) });
  }
  return sums.result;
}

const relu = { name: 'relu', short: 'relu' };
const gemm = { name: 'gemm', short: 'gemm', calls: [mm(10, 10, 10)], op: ['mm'] };
const copy: ProfileLine = {
  ...{ type: 'copy', profile: 0, kind: 'HtoD', srcKind: null, dstKind: null, start: 2600, dur: 600, device: 0 },
  ...{ bytes: 6000, stream: 8, srcDevice: null, dstDevice: null, corr: null, pid: null, tid: null, launch: null },
};

/** A product at 1000 to 2000, others at 2500 to 3000 and 3500 to 4500, and a copy at 2600 to 3200. */
const RECORDS: readonly ProfileLine[] = [
  profileOn(A100),
  kernel({ ...gemm, id: 1, start: 1000, dur: 1000 }),
  kernel({ ...relu, id: 2, start: 2500, dur: 500 }),
  copy,
  kernel({ ...relu, id: 3, start: 3500, dur: 1000 }),
];

describe('a profile within a span', () => {
  it('counts kernels once, with their time inside', async () => {
    const found = await within(pageContentsOf(RECORDS), { from: 1500, to: 4000 });
    expect(found).to.include({ kernels: 3, cut: 2 });
    const { kernels, ops, overview, verdict } = found?.profile ?? {};
    expect(kernels?.shown.map(({ name, count, time, max }) => [name, count, time, max])).to.deep.equal([
      ['relu', 2, 1000, 500],
      ['gemm', 1, 500, 500],
    ]);
    // 2 × 10 × 10 × 10 FLOPs, half of them inside.
    expect(ops?.shown.map(({ op, count, time, flops }) => [op, count, time, flops])).to.deep.equal([
      [null, 2, 1000, null],
      ['mm', 1, 500, 1000],
    ]);
    expect(overview?.kernels).to.include({ count: 3, time: 1500 });
    // Busy: 1500 to 2000, 2500 to 3200, 3500 to 4000.
    expect(overview?.devices[0]).to.include({
      ...{ start: 1500, end: 4000, span: 2500, busy: 1700, idle: 800, compute: 1500, copiesAlone: 200 },
    });
    expect(overview?.memory).to.deep.equal([{ kind: 'HtoD', count: 1, time: 600, bytes: 6000, bytesPerS: 1e10 }]);
    expect(verdict?.text).to.equal('In this span: compute 60.0 %, idle 32.0 %, exposed copies 8.0 %.');
  });

  it('says where the profile lacks copies, because they are in the idle time', async () => {
    const start = { name: 'copy-start.1', short: 'copy-start', labels: { category: 'copy-start' } };
    const on = (device: number, id: number) =>
      [
        kernel({ ...relu, id, device, start: 1000, dur: 1000 }),
        kernel({ ...start, id: id + 1, device, start: 2000, dur: 100 }),
        kernel({ ...relu, id: id + 2, device, start: 3500, dur: 1000 }),
      ] as const;
    const verdictOf = async (records: readonly ProfileLine[]) => {
      const found = await within(pageContentsOf(records), { from: 1500, to: 4000 });
      return found?.profile.verdict?.text;
    };
    // Of 2500 ns, kernels run for 500 + 100 + 500.
    expect(await verdictOf([profileOn(A100), ...on(0, 1)])).to.equal(
      'In this span: idle at most 56.0 % (the profile has no copies), compute 44.0 %.',
    );
    // The copy from 2600 to 3200 takes 600 of the 2500 ns of one device.
    const [[a, b, c], [d, e, f]] = [on(0, 1), on(1, 4)];
    const both = [profileOn(A100), a, d, b, e, copy, c, f];
    expect(await verdictOf(both)).to.equal(
      'In this span: compute 44.0 %, idle at most 44.0 % (the profile has copies of only 1), exposed copies 24.0 % on 1 of 2 devices.',
    );
  });

  it('has communication by operation, and how long no compute runs in it', async () => {
    const nccl = { name: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)', stream: 9 };
    const records = [
      profileOn(A100),
      kernel({ ...nccl, short: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', id: 1, start: 2000, dur: 1000 }),
      kernel({ ...relu, id: 2, start: 2500, dur: 300 }),
    ];
    const found = await within(pageContentsOf(records), { from: 2200, to: 2900 });
    // 2200 to 2500 and 2800 to 2900.
    const { shown } = found?.profile.collectives ?? {};
    expect(shown?.map(({ kind, count, time, notUnderCompute }) => [kind, count, time, notUnderCompute])).to.deep.equal([
      ['all-reduce', 1, 700, 400],
    ]);
    expect(found?.profile.overview.devices[0]).to.include({ communication: 700, exposed: 400 });
  });

  it('has the host time of its annotations inside, and the time of the kernels that they launched', async () => {
    const range = (text: string, start: number, dur: number): ProfileLine => ({
      ...{
        type: 'range',
        profile: 0,
        kind: 'annotation',
        domain: null,
        text,
        start,
        dur,
        pid: 10,
        tid: 100,
        self: dur,
      },
    });
    const launch = (start: number) => ({ api: 'cudaLaunchKernel', start, dur: 10 });
    const records = [
      profileOn(A100),
      range('load', 1000, 1000),
      kernel({ ...relu, id: 1, start: 1500, dur: 400, launch: launch(1100), ranges: ['load'] }),
      range('train', 2000, 2000),
      kernel({ ...relu, id: 2, start: 2500, dur: 500, launch: launch(2100), ranges: ['train'] }),
      kernel({ ...relu, id: 3, start: 3500, dur: 1000, launch: launch(3100), ranges: ['train'] }),
    ];
    const found = await within(pageContentsOf(records), { from: 1600, to: 4000 });
    const { shown } = found?.profile.annotations ?? {};
    expect(
      shown?.map(({ text, passes, host, time, count, samples }) => [text, passes, host, time, count, samples]),
    ).to.have.deep.members([
      // 1600 to 1900 of its kernel.
      ['load', 1, 400, 300, 1, [300]],
      ['train', 1, 2000, 1000, 1, [1000]],
    ]);
    // After `load`, the first kernel goes on: one occurrence, without time of the host.
    const later = await within(pageContentsOf(records), { from: 2000, to: 2600 });
    expect(
      later?.profile.annotations.shown.map(({ text, host, time, count }) => [text, host, time, count]),
    ).to.deep.equal([['train', 600, 100, 1]]);
  });

  it('has the lines of the program that launched its kernels', async () => {
    const records = [
      profileOn(A100),
      kernel({ ...gemm, id: 1, start: 1000, dur: 1000, trace: ['train.py:9', 'net.py:5'] }),
      kernel({ ...relu, id: 2, start: 2500, dur: 500, trace: ['train.py:9'] }),
      kernel({ ...relu, id: 3, start: 3500, dur: 1000, trace: ['train.py:9', 'net.py:7'] }),
    ];
    const found = await within(pageContentsOf(records), { from: 1500, to: 3500 });
    expect(found?.profile.lines?.shown.map(({ line, count, time, op }) => [line, count, time, op])).to.deep.equal([
      ['net.py:5', 1, 500, 'mm'],
      ['train.py:9', 1, 500, null],
    ]);
  });

  it('has what overlaps with the span, and not what only touches it', async () => {
    const page = pageContentsOf(RECORDS);
    expect(await within(page, { from: 2000, to: 2500 })).to.include({ kernels: 0, cut: 0 });
    expect((await within(page, { from: 2000, to: 2501 }))?.profile.ops.time).to.equal(1);
  });

  it('is that of the whole profile where the span is all of it', async () => {
    const page = pageContentsOf(RECORDS);
    const found = await within(page, { from: 0, to: 10_000 });
    const [whole] = page.data.profiles;
    // Events have no grids.
    expect(found?.profile.kernels.shown).to.deep.equal(whole?.kernels.shown.map((one) => ({ ...one, launch: null })));
    expect(found?.profile.layers).to.deep.equal(whole?.layers);
    const { linked: _, gaps: __, ...device } = whole?.overview.devices[0] ?? {};
    expect(found?.profile.overview.devices[0]).to.deep.include(device);
  });

  it('has why the devices were idle, from the end of its first work', async () => {
    const launch = (start: number) => ({ api: 'cudaLaunchKernel', start, dur: 100 });
    const records = [
      profileOn(A100),
      kernel({ ...relu, id: 1, start: 1000, dur: 1000, launch: launch(500) }),
      // Launched when the device was idle; the next one waited on the device.
      kernel({ ...relu, id: 2, start: 2500, dur: 500, launch: launch(2100) }),
      kernel({ ...relu, id: 3, start: 3500, dur: 1000, launch: launch(2300) }),
      kernel({ ...relu, id: 4, start: 5000, dur: 1000, launch: launch(4800) }),
    ];
    const found = await within(pageContentsOf(records), { from: 1500, to: 4000 });
    const { idle, gaps, verdict } = found?.profile ?? {};
    expect(idle?.causes).to.deep.equal([
      { cause: 'launch', count: 1, time: 500, longest: 500 },
      { cause: 'queue', count: 1, time: 500, longest: 500 },
    ]);
    expect(gaps?.map(({ start, time }) => [start, time])).to.deep.equal([
      [2000, 500],
      [3000, 500],
    ]);
    expect(verdict?.parts.map(({ part, cause, time }) => [part, cause, time])).to.deep.equal([
      ['compute', null, 1500],
      ['idle', 'launch', 500],
      ['idle', 'queue', 500],
    ]);
  });

  it('has why a device was idle where several kernels ended the gap at the same time', async () => {
    const launch = { api: 'cudaLaunchKernel', start: 2100, dur: 100 };
    const records = [
      profileOn(A100),
      kernel({ ...relu, id: 1, start: 1000, dur: 1000 }),
      kernel({ ...relu, id: 2, start: 2500, dur: 100, stream: 7, launch }),
      // The longer one comes first in the timeline.
      kernel({ ...relu, id: 3, start: 2500, dur: 500, stream: 8, launch }),
    ];
    const found = await within(pageContentsOf(records), { from: 1500, to: 4000 });
    expect(found?.profile.idle.causes).to.deep.equal([{ cause: 'launch', count: 1, time: 500, longest: 500 }]);
  });

  it('has how long the kernels waited that begin in it, and behind how many others', async () => {
    const launch = (start: number) => ({ api: 'cudaLaunchKernel', start, dur: 100 });
    const records = [
      profileOn(A100),
      kernel({ ...relu, id: 1, start: 1000, dur: 1000, launch: launch(500) }),
      // Launched while the first one ran; two launches after that.
      kernel({ ...relu, id: 2, start: 2000, dur: 50, launch: launch(1100) }),
      kernel({ ...relu, id: 3, start: 3500, dur: 1000, launch: launch(1300) }),
      kernel({ ...relu, id: 4, start: 5000, dur: 1000, launch: launch(4800) }),
    ];
    const page = pageContentsOf(records);
    const { launches } = (await within(page, { from: 1500, to: 4000 }))?.profile.idle ?? {};
    // 2000 - 1200 and 3500 - 1400; when the third was launched, the second had not begun.
    expect(launches).to.deep.include({ kernels: 2, shorter: 1 });
    expect(launches?.delay).to.deep.include({ count: 2, min: 800, max: 2100 });
    expect(launches?.queue).to.deep.include({ count: 2, min: 0, max: 1 });
    // The second one began before this span, and stands before the third all the same.
    const later = (await within(page, { from: 3000, to: 4000 }))?.profile.idle.launches;
    expect(later?.queue).to.deep.include({ count: 1, min: 1, max: 1 });
    expect((await within(page, { from: 4100, to: 4900 }))?.profile.idle.launches).to.equal(null);
  });

  it('has how busy the devices were, and how much memory they used, in it alone', async () => {
    const sample = (start: number, value: number): ProfileLine => ({
      ...{ type: 'sample', profile: 0, metric: 'memory', unit: 'B', start, value, device: 0 },
    });
    const found = await within(pageContentsOf([...RECORDS, sample(500, 100), sample(2700, 300), sample(4200, 900)]), {
      ...{ from: 2000, to: 4000 },
    });
    const { utilisation, memory } = found?.profile ?? {};
    // 2500 to 4000 in ns; a copy alone from 3000 to 3200, and nothing to 3500.
    expect(utilisation).to.include({ start: 2500, width: 2 });
    const busy = utilisation?.devices[0]?.busy ?? [];
    expect([busy.length, ...[0, 349, 350, 499, 500, 749].map((bin) => busy[bin])]).to.deep.equal([
      750, 1, 1, 0, 0, 1, 1,
    ]);
    expect(utilisation?.devices[0]?.compute[300]).to.equal(0);
    expect(memory?.map(({ points, peak }) => ({ points, peak }))).to.deep.equal([
      {
        points: [
          [2000, 100],
          [2700, 300],
        ],
        peak: 300,
      },
    ]);
  });

  it('has the share of peak FLOP/s that its own time and FLOPs give', async () => {
    const product = { ...gemm, name: 'ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_tn', calls: [mm(1000, 1000, 1000)] };
    const records = [profileOn(A100), kernel({ ...product, id: 1, start: 0, dur: 1_000_000 })];
    const whole = pageContentsOf(records);
    const found = await within(whole, { from: 500_000, to: 2_000_000 });
    // 2e9 FLOPs in 1 ms are 2 TFLOP/s of the 312 of FP16 on tensor cores; so is the half of them in the half of the time.
    expect(found?.profile.overview.kernels?.work.mfu).to.be.closeTo(2 / 312, 1e-12);
    expect(found?.profile.ops.shown[0]?.ofCompute).to.be.closeTo(2 / 312, 1e-12);
    expect(whole.data.profiles[0]?.overview.kernels?.work.mfu).to.be.closeTo(2 / 312, 1e-12);
  });
});

/** A page as if its whole profile were too large for each event, so that spans are read from its other pieces. */
function withMergedBars({ data, parts }: PageContents): PageContents {
  const profiles = data.profiles.map((profile) => {
    const [first, ...others] = profile.timeline?.pieces ?? [];
    if (profile.timeline === null || first === undefined) throw new Error('no timeline');
    return {
      ...profile,
      timeline: { ...profile.timeline, pieces: [{ ...first, isMerged: true as const }, ...others] },
    };
  });
  return { data: { ...data, profiles }, parts };
}

describe('the pieces of a span', () => {
  const pieces = (...held: readonly [start: number, end: number, events: number | null][]): PageTimeline =>
    ({
      pieces: [
        { name: 'whole profile', start: 0, end: 300, events: 5, isMerged: true },
        ...held.map(([start, end, events]) => ({ name: '', start, end, events })),
      ],
    }) as unknown as PageTimeline;

  it('follow one another, each event in one of them', () => {
    const timeline = pieces([0, 100, 9], [90, 200, 9], [220, 300, 9]);
    expect(piecesOfSpan(timeline, { from: 50, to: 250 })).to.deep.equal([
      { piece: 1, from: 50, to: 100 },
      { piece: 2, from: 100, to: 200 },
      { piece: 3, from: 200, to: 250 },
    ]);
  });

  it('are not known where the page does not hold the events of one', () => {
    const timeline = pieces([0, 100, 9], [90, 200, null]);
    expect(piecesOfSpan(timeline, { from: 50, to: 100 })).to.deep.equal([{ piece: 1, from: 50, to: 100 }]);
    expect(piecesOfSpan(timeline, { from: 50, to: 101 })).to.equal(null);
  });

  it('give the same as the whole profile with each event', async () => {
    const steps = RECORDS.map((record) =>
      record.type === 'kernel' ? { ...record, step: record.id === 1 ? 1 : 2 } : record,
    );
    const page = pageContentsOf(steps);
    const span = { from: 1500, to: 4000 };
    const single = await within(page, span);
    const pieced = await within(withMergedBars(page), span);
    expect(page.data.profiles[0]?.timeline?.pieces.length).to.be.greaterThan(2);
    expect(pieced).to.include({ kernels: 3, cut: 2 });
    const { timeline: _, ...figures } = pieced?.profile ?? {};
    expect(single?.profile).to.deep.include(figures);
  });
});

const percent = (share: number | null): number | null => (share === null ? null : 100 * share);

/**
 * Compares the figures of a span that is all of a profile with those of the profile.
 * @returns number of annotations whose device time is known
 */
async function annotationsOfAll(file: string): Promise<number> {
  const contents = await pageContentsOfFile(file);
  const [whole] = contents.data.profiles;
  const found = (await within(contents, { from: -1e9, to: 1e12 }))?.profile;
  // Those of frameworks, of other threads and of graphs are not known.
  const timesOf = (profile: PageProfile | undefined) =>
    profile?.annotations.shown
      .filter(({ text, time, own }) => !isOfFramework(text) && time !== null && own === time)
      .map(({ text, time, own, passes, host, count, samples, hostSamples }) => [text, time, own, passes, host, count, samples, hostSamples]) ?? []; // prettier-ignore
  expect(timesOf(whole)).to.deep.include.members(timesOf(found));
  expect(found?.idle).to.deep.equal(whole?.idle);
  expect(found?.utilisation).to.deep.equal(whole?.utilisation);
  expect(found?.stacks).to.deep.equal(whole?.stacks);
  expect(found?.layers).to.deep.equal(whole?.layers);
  expect(found?.categories).to.have.deep.members(whole?.categories ?? []);
  const workOf = (profile: PageProfile | undefined) => {
    const { computeShare, memoryShare, rated, mfu, flopsRated } = profile?.overview.kernels?.work ?? {};
    return { computeShare, memoryShare, rated, mfu, flopsRated };
  };
  expect(workOf(found)).to.deep.equal(workOf(whole));
  const boundsOf = (profile: PageProfile | undefined) =>
    new Map(profile?.ops.shown.filter(({ count }) => count !== 0).map(({ op, bound, ofCompute, ofMemory }) => [op, { bound, ofCompute, ofMemory }])); // prettier-ignore
  expect(boundsOf(found)).to.deep.equal(boundsOf(whole));
  expect(partsOf(found)).to.deep.equal(partsOf(whole));
  return timesOf(found).length;
}

const partsOf = (profile: PageProfile | undefined) =>
  profile?.verdict?.parts.map(({ part, cause, time }) => ({ part, cause, time }));

describe('a span of a sample', () => {
  const sample = join(ROOT, 'samples', 'decoder.pt.trace.json.gz');

  /** Count and time by op, as `dprof --from A --to B` has them. */
  async function ofCommand(from: number, to: number): Promise<unknown[]> {
    const options = ['--from', String(from / 1e6), '--to', String(to / 1e6), '--by', 'op', '-f', 'csv'];
    const { stdout } = await runCli('dprof', [sample, ...options]);
    const rows = stdout.trimEnd().split('\n').slice(1);
    return rows.map((row) =>
      row
        .split(',')
        .slice(0, 3)
        .map((cell, i) => (i === 0 ? cell : Number(cell))),
    );
  }

  async function ofPage(from: number, to: number): Promise<{ readonly rows: unknown[]; readonly cut: number }> {
    const found = await within(await pageContentsOfFile(sample), { from, to });
    const { ops } = found?.profile ?? {};
    return { rows: (ops?.shown ?? []).map(({ op, count, time }) => [op ?? 'na', count, time]), cut: found?.cut ?? NaN };
  }

  it('has the kernels and times that dprof --from --to prints, when no kernel crosses an edge', async () => {
    const [page, command] = [await ofPage(1_001_000, 3_000_000), await ofCommand(1_001_000, 3_000_000)];
    expect(page.cut).to.equal(0);
    expect(page.rows).to.have.deep.members(command);
    // The last step from its second product on, kernels of 5 us.
    expect(page.rows).to.deep.include.members([['mm', 3, 15_000], ['paged_attention', 2, 10_000]]); // prettier-ignore
  });

  for (const name of ['lenet.pt.trace.json.gz', 'lenet.nsys.sqlite', 'decoder.pt.trace.json.gz'])
    it(`has the figures of the whole profile where it is all of ${name}`, async () => {
      expect(await annotationsOfAll(join(ROOT, 'samples', name))).to.be.greaterThan(2);
    });

  const REAL = ['data/kineto/mi300_norm_layers_training.json.gz', 'data/nsys/nvfuser_h200.sqlite'];
  const MORE_REAL = ['data/kineto/v100_resnet50_2021.json.gz'];
  const titleOfWhole = (name: string): string => `has the figures of the whole profile where it is all of ${name}`;
  itEachShared(REAL, MORE_REAL, titleOfWhole, async (file) => {
    await annotationsOfAll(file);
  });

  const STEPS = [
    ['data/kineto/h100_vit.json.gz', 6, itShared],
    ['data/kineto/mi300_resnet_training.json.gz', 16, itSharedLong],
  ] as const;
  for (const [name, step, test] of STEPS)
    test(`has the figures of dprof summary --step ${step} in ${name}`, [name], async ([file = '']) => {
      const page = await pageContentsOfFile(file);
      const bar = page.data.profiles[0]?.stepBars.shown.find((one) => one.step === step);
      const span = { from: bar?.start ?? NaN, to: (bar?.start ?? NaN) + (bar?.span ?? NaN) };
      const found = await within(page, span);
      const { stdout } = await runCli('dprof', ['summary', file, '--step', String(step), '-f', 'jsonl']);
      // Conditions that select kernels are for the command line.
      const summary = JSON.parse(stdout.split('\n')[0] ?? '', (key, value: unknown) =>
        key === 'where' ? undefined : value,
      ) as Pick<PageProfile['overview'], 'devices' | 'memory' | 'kernels'>;
      // Events have no calls by which work is linked.
      const devicesOf = ({ devices }: Pick<PageProfile['overview'], 'devices'>) =>
        devices.map((device) => ({ ...device, linked: null, gaps: null, idleInWaits: null }));
      const figuresOf = ({ kernels }: Pick<PageProfile['overview'], 'kernels'>) => [
        ...[kernels?.count, kernels?.time, kernels?.names, kernels?.precision, kernels?.matrixUnit.used],
        ...[kernels?.work.flops, kernels?.work.bytes, kernels?.work.mfu, kernels?.work.computeShare],
      ];
      const { overview = summary } = found?.profile ?? {};
      expect(overview).not.to.equal(summary);
      expect(devicesOf(overview)).to.deep.equal(devicesOf(summary));
      expect(figuresOf(overview)).to.deep.equal(figuresOf(summary));
      expect(overview.memory).to.deep.equal(summary.memory);
      // Other steps overlap with the step's own piece.
      const pieced = await within(withMergedBars(page), span);
      expect(pieced?.profile).to.deep.include({ idle: found?.profile.idle, annotations: found?.profile.annotations });
    });

  const SPANS = [
    // The last kernels before 0.5 ms and after 0.26 ms are cut.
    ['lenet.pt.trace.json.gz', 260_000, 500_000],
    ['lenet.nsys.sqlite', 400_000, 777_777],
    // Two devices, one of which lacks work: the tables of ops know no difference.
    ['transformer.nsys.sqlite', 315_000, 401_234],
  ] as const;
  for (const [name, from, to] of SPANS)
    it(`has the ops, work and shares of peaks of dprof --from --to in ${name}`, async () => {
      const file = join(ROOT, 'samples', name);
      const options = ['--from', String(from / 1e6), '--to', String(to / 1e6), '--by', 'op', '-f', 'jsonl'];
      const columns = ['op', 'count', 'total', 'flops', 'bytes', 'peak', 'bw'] as const;
      const { stdout, stderr } = await runCli('dprof', [file, ...options, '-c', columns.join(',')]);
      const found = await within(await pageContentsOfFile(file), { from, to });
      expect(found?.cut).to.be.greaterThan(0);
      expect(stderr).to.include(`--from and --to cut ${cutText(found?.cut ?? NaN)}: only the part inside counts\n`);
      const rounded = (value: unknown): unknown => (typeof value === 'number' ? Number(value.toPrecision(10)) : value);
      const ofPage = found?.profile.ops.shown.map(({ op, count, time, flops, bytes, ofCompute, ofMemory }) =>
        [op, count, time, flops, bytes, percent(ofCompute), percent(ofMemory)].map(rounded),
      );
      const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
      const rows = lines.filter((line) => 'op' in line);
      expect(lines).to.deep.include({ window: { from, to, cut: found?.cut } });
      const ofCommand = rows.map((row) => columns.map((column) => rounded(row[column] ?? null)));
      expect(ofPage).to.have.deep.members(ofCommand);
    });

  it('has the categories that dprof --from --to has', async () => {
    const file = join(ROOT, 'samples', 'transformer.nsys.sqlite');
    const options = [
      '--from',
      '0.315',
      '--to',
      '0.401234',
      '--by',
      'category',
      '-f',
      'csv',
      '-c',
      'category,count,total',
    ];
    const { stdout } = await runCli('dprof', [file, ...options]);
    const found = await within(await pageContentsOfFile(file), { from: 315_000, to: 401_234 });
    const ofPage = found?.profile.categories.map(({ category, count, time }) => [category, count, time].join());
    expect(ofPage).to.have.members(stdout.trimEnd().split('\n').slice(1));
    expect(ofPage).to.have.lengthOf.above(2);
  });

  it('has no rates that the whole profile does not have', async () => {
    const contents = await pageContentsOfFile(join(ROOT, 'samples', 'attention.ntff'));
    const found = await within(contents, { from: 0, to: 1e9 });
    const ratesOf = (profile: PageProfile | undefined) =>
      new Map(profile?.ops.shown.map(({ op, bytes, bytesPerS }) => [op, { bytes, bytesPerS }]));
    expect(ratesOf(found?.profile)).to.deep.equal(ratesOf(contents.data.profiles[0]));
    // Instructions that start transfers of 458,752 bytes, which outlast them.
    expect(ratesOf(found?.profile).get(null)).to.deep.equal({ bytes: 458_752, bytesPerS: null });
  });

  it('has the same kernels and times when one crosses an edge, with 1 of its 5 us', async () => {
    const [page, command] = [await ofPage(1_000_000, 3_000_000), await ofCommand(1_000_000, 3_000_000)];
    expect(page.cut).to.equal(1);
    expect(page.rows).to.deep.include.members([['mm', 4, 16_000], ['paged_attention', 2, 10_000]]); // prettier-ignore
    expect(page.rows).to.have.deep.members(command);
  });
});
