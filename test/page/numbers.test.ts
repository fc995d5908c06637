/**
 * The numbers of each panel against the same numbers of the commands: both come from one profile by different ways, so
 * that a page cannot say other than `dprof … -f json`.
 */
import { expect } from 'chai';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { NO_IDLE } from '../../src/prof/advise/idle/cause-names.js';
import type { LayerReason, LayerRow, PageData, PageProfile } from '../../src/prof/html/page-data.js';
import { dataIn } from '../support/pages.js';
import { runCli, type Ran } from '../support/run-cli.js';
import { itEachShared, ROOT, sharedFile } from '../support/shared.js';
import { mark } from '../support/sets.js';

type Row = Readonly<Record<string, unknown>>;

/** What commands print about the profiles that both suites ask about, by their arguments. */
const printed = new Map<string, Promise<Ran>>();

/** What a command prints about a profile; of long runs, which ask about a hundred, not all is kept. */
function printedBy(path: string, ...args: string[]): Promise<Ran> {
  const key = JSON.stringify([path, ...args]);
  const ran = printed.get(key) ?? runCli('dprof', [...args, path]);
  if ([...SAMPLES, ...REAL].some((name) => path.endsWith(`/${name}`))) printed.set(key, ran);
  return ran;
}

/**
 * The rows of an answer, without the line about losses and doubts; none where the command says that the profile lacks what
 * it needs.
 */
async function answer(path: string, ...args: string[]): Promise<Row[]> {
  const { stdout } = await printedBy(path, ...args, '-q', '-f', 'jsonl');
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)
    .filter((row) => !('doubts' in row));
}

async function pageOf(path: string): Promise<PageData> {
  const page = await pageIfAny(path);
  if (page === null) expect.fail(`${path} has no page`);
  return page;
}

/** The page of a profile; null where it has no kernel, range or sample with a time. */
async function pageIfAny(path: string): Promise<PageData | null> {
  const { stdout, stderr, code } = await printedBy(path, 'html');
  if (code === 1 && /nothing to show|no record has (?:both )?a start/.test(stderr)) return null;
  expect(code, stderr).to.equal(0);
  return dataIn(stdout);
}

/** Columns of kernels' times. */
const TIMES: ReadonlySet<string> = new Set(['total', 'own', 'min', 'max']);

/** Where two rows of one key differ; unknown shares and sums are null. @param within ns that times may differ by */
function differences(name: string, page: Row, other: Row, within: number): string[] {
  return Object.keys(page).flatMap((key) => {
    const [a, b] = [page[key] ?? null, other[key] ?? null];
    if (TIMES.has(key) && typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= within) return [];
    return JSON.stringify(a) === JSON.stringify(b)
      ? []
      : [`${name}: ${key} is ${JSON.stringify(a)} on the page, ${JSON.stringify(b)} as an answer`];
  });
}

/** Times that are means of clocks are whole ns in an answer. */
const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value));

/** Compares rows by a key: each of the page's must be among the answer's. @param isFiner than ns, which the answer is rounded to */
function compare(page: readonly Row[], other: readonly Row[], keys: readonly string[], isFiner = false): void {
  const keyOf = (row: Row): string => JSON.stringify(keys.map((key) => row[key] ?? null));
  const known = new Map(other.map((row) => [keyOf(row), row]));
  const found = page.flatMap((row) => differences(keyOf(row), row, known.get(keyOf(row)) ?? {}, isFiner ? 0.5001 : 0));
  expect(found).to.deep.equal([]);
}

/** As answers have it. */
const percent = (share: number | null): number | null => (share === null ? null : 100 * share);

/** A change of units rounds. */
const inUnit = (value: unknown, factor = 1): number | null =>
  typeof value === 'number' ? Number((value * factor).toPrecision(12)) : null;

/** Kernels without a time have none on the page, and none in these answers. */
const TIMED = ['--where', 'sil>=0'];

/** Instructions that only wait are no work on the page; answers have a row for each. */
const WORKING = ['--where', 'kernel!=EVENT_SEMAPHORE'];

type Check = (profile: PageProfile, path: string, data: PageData) => Promise<void>;

/** Devices of Neuron count picoseconds; answers have whole ns. */
const countsPicoseconds = ({ devices, header }: PageProfile['overview']): boolean =>
  devices.length > 0 && ['ntff', 'neuron'].some((name) => header?.format.startsWith(name));

/** An answer without the conditions that select its kernels, which are for the command line. */
const withoutConditions = (row: Row): Row =>
  JSON.parse(JSON.stringify(row), (key, value: unknown) => (key === 'where' ? undefined : value)) as Row;

/** By panels that it is about. */
const CHECKS: Readonly<Record<string, Check>> = {
  'figures, devices, precision, matrix unit, activity, copies, collectives, diagnostics': async (
    { overview },
    path,
  ) => {
    const [summary] = await answer(path, 'summary');
    expect(differences('overview', { ...overview }, withoutConditions(summary ?? {}), 0)).to.deep.equal([]);
  },

  'verdict and advice': async ({ verdict }, path, { advice }) => {
    const rows = await answer(path, 'advise', '--top', '1000');
    const said = rows.find((row) => 'verdict' in row);
    expect(
      verdict === null ? undefined : { text: verdict.text, span: verdict.span, parts: verdict.parts },
    ).to.deep.equal(
      said === undefined ? undefined : { text: said['verdict'], span: said['span'], parts: said['parts'] },
    );
    const findings = rows.filter((row) => 'rule' in row);
    expect(findings).to.have.length.at.least(advice.length);
    const shown = advice.map(({ finding: { rule, what, stake, gain } }) => ({
      rule,
      what,
      stake,
      gain: gain?.ns ?? null,
    }));
    const others = findings.map(({ rule, what, stake, gain }) => ({
      ...{ rule, what, stake },
      gain: (gain as { ns: number } | null)?.ns ?? null,
    }));
    // The page has the first findings only.
    const keyOf = ({ rule, what }: (typeof others)[number]): string => JSON.stringify([rule, what]);
    const keys = new Set(shown.map(keyOf));
    compare(
      shown,
      others.filter((finding) => keys.has(keyOf(finding))),
      ['rule', 'what'],
    );
  },

  steps: async ({ overview, stepBars, timeline }, path) => {
    const rows = await answer(path, 'steps');
    const list = overview.steps?.list ?? [];
    const shown = list.map(({ step, device, iteration, span, busy, kernelTime, ownKernelTime }) => ({
      ...{ step, device, iteration, span, busy, kernel_time: kernelTime, own_kernel_time: ownKernelTime },
    }));
    compare(shown, rows, ['step', 'device']);
    const bars = stepBars.shown.map(({ step, device, span, host: { iteration } }) => ({
      step,
      device,
      span,
      iteration,
    }));
    compare(bars, rows, ['step', 'device']);
    for (const { name, took } of timeline?.pieces ?? []) {
      if (took === undefined) continue;
      const own = rows.filter(({ step }) => name === `step ${String(step)}`);
      const spans = own.map(({ span }) => Number(span));
      expect(took, name).to.deep.equal({ host: own[0]?.['iteration'] ?? null, device: Math.max(...spans) });
    }
  },

  kernels: async ({ kernels, overview }, path) => {
    const isNeuron = countsPicoseconds(overview);
    const columns = 'kernel,count,total,min,max,tcshare';
    const rows = await answer(path, '--by', 'kernel', '-c', columns, ...TIMED);
    const shown = kernels.shown.map(({ name, count, time, min, max, tc }) => ({
      ...{ kernel: name, count, total: time, min, max, tcshare: percent(tc) },
    }));
    compare(shown, rows, ['kernel'], isNeuron);
    if (!isNeuron) expect(kernels.count).to.equal(rows.length);
  },

  ops: async ({ ops, overview }, path) => {
    const columns = 'op,count,total,flops,bytes,tflops,gbps,peak,bw,tcshare,passes,host,hostself';
    const rows = await answer(path, '--by', 'op', '-c', columns, ...(countsPicoseconds(overview) ? WORKING : []));
    const shown = ops.shown.map(({ count, time, hostSelf: hostself, tc, ...op }) => ({
      // Kernels of a profile without devices are 0 in an answer; whether there were any is not known.
      ...{ op: op.op, count: count ?? 0, total: Math.round(time ?? 0), flops: op.flops, bytes: op.bytes },
      ...{ passes: op.passes, host: op.host, hostself, tcshare: percent(tc) },
      ...{ tflops: inUnit(op.flopsPerS, 1e-12), gbps: inUnit(op.bytesPerS, 1e-9) },
      ...{ peak: inUnit(op.ofCompute, 100), bw: inUnit(op.ofMemory, 100) },
    }));
    const inUnits = ({ tflops, gbps, peak, bw, ...row }: Row): Row => ({
      ...{ ...row, tflops: inUnit(tflops), gbps: inUnit(gbps), peak: inUnit(peak), bw: inUnit(bw) },
    });
    compare(shown, rows.map(inUnits), ['op']);
    expect(ops.count).to.equal(rows.length);
    for (const { within, time } of ops.shown) expect(within ?? 0).to.be.at.least(time ?? 0);
  },

  roofline: async ({ roofline }, path) => {
    const keys = ['device', 'op', 'kernel', 'dtype', 'tc'];
    const where = ['--where', 'flops>0 && bytes>0 && sil>0'];
    const rows = await answer(
      path,
      '--by',
      keys.join(','),
      '-c',
      [...keys, 'count,total,flops,bytes'].join(','),
      ...where,
    );
    const texts = rows.map((row) => ({
      ...row,
      tc: row['tc'] === null ? null : JSON.stringify(row['tc']).replaceAll('"', ''),
    }));
    const shown = roofline.points.map(({ time, ...point }) => ({ ...point, total: time }));
    compare(shown, texts, keys);
    expect(roofline.pointCount).to.equal(rows.length);
  },

  'layers and flame chart': async ({ layers, overview }, path) => {
    const columns = 'layer,count,total,own,flops,bytes,tcshare';
    const rows = await answer(path, '--by', 'layer', '-c', columns, ...TIMED);
    const shown = layers.shown.map(({ path: layer, count, time, own, flops, bytes, why }) => ({
      ...{ layer, count, total: time, own, flops, bytes, tcshare: percent(why.all?.tc ?? null) },
    }));
    compare(shown, rows, ['layer'], countsPicoseconds(overview));
  },

  'reasons of layers': async ({ layers, overview: { header } }, path) => {
    // Shares of picoseconds; the JSON of the same capture has whole ns.
    if (header?.format === 'ntff') return;
    const kernels = (await answer(path, '-c', 'idx,layer,dir,sil,bound,tc,kernel', ...TIMED)) as unknown as Kernel[];
    compare(layers.shown.map(reasonRow), layers.shown.map(({ path: layer }) => reasonRow(reasoned(layer, kernels))), ['layer']); // prettier-ignore
  },

  annotations: async ({ annotations }, path) => {
    const rows = await answer(path, '--by', 'range');
    const known = new Map(rows.map((row) => [row['range'], row]));
    const hosts = annotations.shown.filter(({ text, passes }) => passes !== null && known.has(text));
    const shown = hosts.map(({ text, passes, hostSelf }) => ({ range: text, count: passes, hostself: hostSelf }));
    compare(shown, rows, ['range']);
    // The answer adds up passes, also those within a pass of the same name.
    for (const { text, host } of hosts) expect(host, text).to.be.at.most(Number(known.get(text)?.['host']));
  },

  utilisation: async ({ utilisation, overview }) => {
    await Promise.resolve();
    for (const { device, busy, compute } of utilisation.devices) {
      const one = overview.devices.find((other) => other.device === device);
      const sum = (shares: readonly number[]): number =>
        shares.reduce((all, part) => all + part * utilisation.width, 0);
      expect(sum(busy), `device ${device}`).to.be.closeTo(one?.busy ?? NaN, 1e-3 * utilisation.width + 1);
      expect(sum(compute), `device ${device}`).to.be.closeTo(one?.compute ?? NaN, 1e-3 * utilisation.width + 1);
    }
  },

  memory: async ({ memory }, path) => {
    const rows = await answer(path, 'memory');
    const series = rows.flatMap((row) =>
      (row['series'] as readonly Row[]).map(({ metric, of, highest }) => ({
        ...{ device: row['device'], metric, name: of === '' ? metric : of, peak: highest },
      })),
    );
    compare(memory.map(({ device, metric, name, peak }) => ({ device, metric, name, peak })), series, ['device', 'metric', 'name']); // prettier-ignore
    const most = series.filter(({ peak }) => peak !== null);
    expect(memory).to.have.length(Math.min(64, most.length));
  },
};

interface Kernel {
  readonly idx: number;
  readonly layer: readonly string[] | null;
  readonly dir: string | null;
  readonly sil: number;
  readonly bound: string | null;
  readonly tc: number | string | null;
  readonly kernel: string;
}

type Reasoned = Pick<LayerRow, 'path' | 'forward' | 'backward' | 'ownBackward' | 'why'>;

const reasonRow = ({ path, forward, backward, ownBackward, why }: Reasoned): Row => ({
  ...{ layer: path, forward, backward, ownBackward },
  ...reasonCells('all', why.all),
  ...reasonCells('forward', why.forward),
  ...reasonCells('backward', why.backward),
});

const reasonCells = (part: string, reason: LayerReason | null): Row => ({
  [`${part} bound`]: reason?.bound ?? null,
  [`${part} share`]: reason?.boundShare ?? null,
  [`${part} tc`]: reason?.tc ?? null,
  [`${part} slowest`]: reason?.slowest.time ?? null,
  [`${part} name`]: reason?.slowest.name ?? null,
});

const timeOf = (kernels: readonly Kernel[]): number => kernels.reduce((sum, { sil }) => sum + sil, 0);

/** The same from a row a kernel, as anyone would work it out. */
function reasoned(path: readonly string[], kernels: readonly Kernel[]): Reasoned {
  const within = kernels.filter(({ layer }) => path.every((name, i) => layer?.[i] === name));
  const [forward, backward] = ['fprop', 'bprop'].map((dir) => within.filter((kernel) => kernel.dir === dir)) as [Kernel[], Kernel[]]; // prettier-ignore
  return {
    ...{ path, forward: timeOf(forward), backward: timeOf(backward) },
    ownBackward: timeOf(backward.filter(({ layer }) => layer?.length === path.length)),
    why: { all: reasonOf(within), forward: reasonOf(forward), backward: reasonOf(backward) },
  };
}

function reasonOf(kernels: readonly Kernel[]): LayerReason | null {
  const [first] = kernels;
  if (first === undefined) return null;
  const slowest = kernels.reduce((most, one) => (one.sil > most.sil ? one : most), first);
  const bounds = [...new Set(kernels.map(({ bound }) => bound))]
    .filter((bound) => bound !== null)
    .map((bound) => ({ bound, time: timeOf(kernels.filter((one) => one.bound === bound)) }));
  const [most] = bounds.sort((a, b) => b.time - a.time);
  const isKnown = kernels.some(({ tc }) => tc !== null && tc !== '?');
  return {
    bound: most === undefined ? null : (most.bound as LayerReason['bound']),
    boundShare: most === undefined ? null : most.time / timeOf(kernels),
    tc: isKnown ? timeOf(kernels.filter(({ tc }) => tc === 1)) / timeOf(kernels) : null,
    slowest: { id: slowest.idx, name: slowest.kernel, start: 0, time: slowest.sil },
  };
}

/** A figure of an answer. @param key the word and what it is about, as in `idle of device 0` */
interface Figure {
  readonly key: string;
  readonly answer: string;
  readonly value: number;
  /** How far a rounded figure of a string may be off; absent for exact ones. */
  readonly within?: number;
}

/** Words of answers by their keys there. */
type Words = Readonly<Record<string, string>>;
const DEVICE_KEYS: Words = { span: 'span', busy: 'busy', idle: 'idle', compute: 'compute', communication: 'communication', exposed: 'exposed communication', memory: 'copies and memsets', kernelSum: 'kernel time' }; // prettier-ignore
const STEPS_KEYS: Words = { span: 'span', busy: 'busy', idle: 'idle', computing: 'compute', communication: 'communication', exposed: 'exposed communication', not_overlapped: 'exposed communication', copies: 'copies and memsets', kernel_time: 'kernel time', iteration: 'step on the CPU', preparing: 'preparing' }; // prettier-ignore
const LIST_KEYS: Words = { span: 'span', busy: 'busy', kernelTime: 'kernel time', iteration: 'step on the CPU' };
const RANKS_KEYS: Words = { compute: 'compute', communication: 'communication', exposed: 'exposed communication', idle: 'idle', copies: 'copies and memsets' }; // prettier-ignore
const PART_WORDS: Words = { compute: 'compute', communication: 'exposed communication', idle: 'idle' };

const CAUSE_WORDS: Words = Object.fromEntries(Object.keys(NO_IDLE).map((cause) => [cause, `idle by ${cause}`]));

const wordsIn = (answer: string, about: string, words: Words, row: Row): Figure[] =>
  Object.entries(words).flatMap(([key, word]) => {
    const value = row[key];
    return typeof value === 'number' ? [{ key: `${word} of ${about}`, answer: `${answer} ${key}`, value }] : [];
  });

const listIn = (row: Row | undefined, key: string): Row[] => (row?.[key] ?? []) as Row[];

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Unknown if one of the values is. */
const knownSum = (values: readonly unknown[]): number | null =>
  values.every((value) => typeof value === 'number') ? sumOf(values) : null;

/** Sums of each key. */
const sumsOf = (rows: readonly Row[]): Row =>
  Object.fromEntries(Object.keys(NO_IDLE).map((key) => [key, sumOf(rows.map((row) => Number(row[key] ?? 0)))]));

const stepName = ({ step, device }: Row): string => `step ${String(step)} on device ${String(device)}`;

/** What ended gaps adds up to the idle time of a device, and gaps without a launch are those whose cause is unknown. */
function ofGaps(answer: string, row: Row): Figure[] {
  const gaps = row['gaps'] as Row | null;
  if (gaps === null) return [];
  const parts = [gaps['host'], gaps['queue'], gaps['unknown']].map(Number);
  const sums = { sum: sumOf(parts), unknown: gaps['unknown'] };
  return wordsIn(
    `${answer} gaps`,
    `device ${String(row['device'])}`,
    { sum: 'idle', unknown: 'idle by unknown' },
    sums,
  );
}

/** Times of the causes of idle time, 0 where a cause has none. */
const ofCauses = (answer: string, about: string, times: Row): Figure[] =>
  wordsIn(answer, about, CAUSE_WORDS, { ...NO_IDLE, ...times });

function ofSummary(answer: string, summary: Row): Figure[] {
  const devices = listIn(summary, 'devices');
  const kernels = summary['kernels'] as Row | null;
  const steps = listIn(summary['steps'] as Row | undefined, 'list');
  const all = ['span', 'idle', 'compute', 'exposed', 'kernelSum'];
  const sums = all.map((key) => [key, knownSum(devices.map((row) => row[key]))] as const);
  return [
    ...devices.flatMap((row) => wordsIn(answer, `device ${String(row['device'])}`, DEVICE_KEYS, row)),
    ...devices.flatMap((row) => ofGaps(answer, row)),
    ...(devices.length === 0 ? [] : wordsIn(answer, 'the profile', DEVICE_KEYS, Object.fromEntries(sums))),
    ...wordsIn(answer, 'the profile', { time: 'kernel time', count: 'kernels' }, kernels ?? {}),
    ...steps.flatMap((row) => wordsIn(answer, stepName(row), LIST_KEYS, row)),
  ];
}

function ofVerdict(answer: string, verdict: Row): Figure[] {
  const parts = listIn(verdict, 'parts');
  const times = Object.keys(PART_WORDS).map((name) => [name, sumOf(parts.filter(({ part }) => part === name).map(({ time }) => Number(time)))] as const); // prettier-ignore
  const causes = parts.filter(({ part }) => part === 'idle').map(({ cause, time }) => [cause, time] as const);
  return [
    ...wordsIn(answer, 'the profile', { ...PART_WORDS, span: 'span' }, { span: verdict['span'], ...Object.fromEntries(times) }), // prettier-ignore
    ...ofCauses(answer, 'the profile', Object.fromEntries(causes) as Row),
  ];
}

const TEXT_UNITS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

/** A rounded number from a text, in ns. It may be off by half of its last digit. */
function ofText(key: string, answer: string, digits: string, unit: number): Figure {
  const places = /\.(\d+)/.exec(digits)?.[1]?.length ?? 0;
  return { key, answer, value: Number(digits.replaceAll(',', '')) * unit, within: 0.5001 * unit * 10 ** -places + 1 };
}

const SUMMARY_LINES: Words = { busy: 'busy', compute: 'compute', communication: 'communication', exposed: 'exposed communication', 'copies, memsets': 'copies and memsets', idle: 'idle' }; // prettier-ignore
const TABLE_HEADS: Words = { span: 'span', busy: 'busy', compute: 'compute', comm: 'communication', exposed: 'exposed communication', copies: 'copies and memsets', idle: 'idle' }; // prettier-ignore

/** Figures of the devices in the text of a summary, and their shares of the span: of one as lines, of several as a table. */
function ofSummaryText(text: string, summary: Row): Figure[] {
  const devices = listIn(summary, 'devices');
  const [, unitName = '', table = ''] = /^## Devices: \d+, times in (\w+)\n((?:(?!##).*\n)*)/m.exec(text) ?? [];
  const [head, ...rows] = table.split('\n').map((line) => line.trim().split(/ {2,}/));
  const inTable = rows.flatMap(([device, span, busy, , ...others]) =>
    [span, busy, ...others.slice(0, 5)].flatMap((cell = '', i) =>
      /^[\d.,]+$/.test(cell)
        ? [ofText(`${TABLE_HEADS[head?.[i + 1] ?? ''] ?? 'unknown'} of device ${String(device)}`, 'summary text', cell, TEXT_UNITS[unitName] ?? NaN)] // prettier-ignore
        : [],
    ),
  );
  const [, device = '', spanText = '', unit = '', lines = ''] =
    /^## Device (\d+).*: span ([\d.,]+) (\w+), first to last work\n((?:(?!##).*\n)*)/m.exec(text) ?? [];
  if (device === '') return inTable;
  const span = Number(devices[0]?.['span']);
  const found = lines.matchAll(/^ *([a-z, ]+?) {2,}([\d.,]+) (ns|us|ms|s) +([\d.]+) %/gm);
  return [
    ofText(`span of device ${device}`, 'summary text', spanText, TEXT_UNITS[unit] ?? NaN),
    ...[...found].flatMap(([, name = '', digits = '', unitOf = '', share = '']) => {
      const word = SUMMARY_LINES[name];
      if (word === undefined) return [];
      const key = `${word} of device ${device}`;
      return [
        ofText(key, 'summary text', digits, TEXT_UNITS[unitOf] ?? NaN),
        ofText(key, 'summary text, share of the span', share, span / 100),
      ];
    }),
  ];
}

/** Rows of the table of `dprof steps`, whose times are us. */
function ofStepsText(text: string): Figure[] {
  const [head = [], ...rows] = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trim().split(/ +/));
  return rows.flatMap((cells) => {
    const row = Object.fromEntries(head.map((name, i) => [name, cells[i] ?? '']));
    const about = row['step'] === 'all' ? `device ${String(row['device'])}` : stepName(row);
    return Object.entries(STEPS_KEYS).flatMap(([key, word]) =>
      /^[\d.]+$/.test(row[key] ?? '') ? [ofText(`${word} of ${about}`, `steps text ${key}`, row[key] ?? '', 1e3)] : [],
    );
  });
}

/** Shares of the span in the sentence of `dprof advise`. */
function ofAdviseText(text: string, span: number): Figure[] {
  const [, sentence = ''] = text.split('\n');
  // Without a long wait, shares are those of the other time.
  if (/ In the (?:other )?\d/.test(sentence)) return [];
  const words = { idle: 'idle', computing: 'compute', communicating: 'exposed communication' };
  return Object.entries(words).flatMap(([said, word]) => {
    const digits = new RegExp(`\\b${said} ([\\d.]+) %`, 'i').exec(sentence)?.[1];
    return digits === undefined ? [] : [ofText(`${word} of the profile`, 'advise text', digits, span / 100)];
  });
}

async function ofTexts(path: string, summary: Row, verdict: Row | undefined): Promise<Figure[]> {
  const textOf = async (...args: string[]): Promise<string> => (await runCli('dprof', [...args, '-q', path])).stdout;
  return [
    ...ofSummaryText(await textOf('summary'), summary),
    ...ofStepsText(await textOf('steps')),
    ...(verdict === undefined ? [] : ofAdviseText(await textOf('advise', '--top', '1'), Number(verdict['span']))),
  ];
}

function ofPage({ overview, verdict, idle, stepBars }: PageProfile): Figure[] {
  const bars = stepBars.shown.flatMap(({ parts, host, ...bar }) => {
    const { compute = 0, communication: exposed = 0, copies = 0, other = 0, missing } = parts;
    // All other parts are causes of idle time.
    const idle = sumOf(Object.values(parts)) - compute - exposed - copies - other;
    const row = { span: bar.span, ...host, computing: compute, exposed, idle };
    // Idle time is not known where launched work is missing.
    return wordsIn(
      'page stepBars',
      stepName({ ...bar }),
      STEPS_KEYS,
      missing === undefined ? row : { ...row, idle: null },
    );
  });
  return [
    ...ofSummary('page', overview as unknown as Row),
    ...(verdict === null ? [] : ofVerdict('page verdict', verdict as unknown as Row)),
    ...ofCauses('page idle', 'the profile', sumsOf(idle.devices.map(({ times }) => times))),
    ...idle.devices.flatMap(({ device, times }) => ofCauses('page idle', `device ${device}`, times)),
    ...idle.devices.flatMap(({ device, times }) => wordsIn('page idle', `device ${device}`, { idle: 'idle' }, { idle: sumOf(Object.values(times)) })), // prettier-ignore
    ...bars,
  ];
}

/** Whether instructions that only wait are rows of records; such devices also count ps. */
const hasWaits = (path: string): boolean => /neuron|\.ntff$|tpu/.test(path);

/** The steps of each device, added up, are the region of all steps. */
function ofAllSteps(steps: readonly Row[], regions: readonly Row[]): Figure[] {
  return regions.flatMap((region) => {
    const about = `all steps on device ${String(region['device'])}`;
    const rows = steps.filter(({ step, device }) => typeof step === 'number' && device === region['device']);
    const sums = Object.keys(STEPS_KEYS).map((key) => [key, knownSum(rows.map((row) => row[key]))] as const);
    return [
      ...wordsIn('steps', about, STEPS_KEYS, Object.fromEntries(sums)),
      ...wordsIn('steps --by step', about, STEPS_KEYS, region),
    ];
  });
}

const REGION_WORDS: Words = { ...{ passes: 'passes', kernels: 'kernels', collectives: 'collectives' }, ...{ span: 'span', busy: 'busy', idle: 'idle', idleHost: 'idle by host', idleQueue: 'idle by queue' }, ...{ spanP50: 'median span', iterationP50: 'median iteration', exposed: 'exposed communication' } }; // prettier-ignore
const REGION_KEYS: Words = { ...REGION_WORDS, idle_host: 'idle by host', idle_queue: 'idle by queue', span_p50: 'median span', iteration_p50: 'median iteration' }; // prettier-ignore
const regionName = ({ region, device }: Row): string => `region ${String(region)} on device ${String(device)}`;

/**
 * Regions, and the kernel time of what was launched in annotations: layers also have their backward kernels in the other
 * answer, and those of NCCL none, because their name is that of the collective. Waits are rows of records, but no kernels.
 */
async function ofRegions(path: string, page: PageProfile | undefined): Promise<Figure[]> {
  const annotations = await answer(path, 'steps', '--by', 'annotation');
  const times = new Map<unknown, number>();
  for (const { region, kernel_time: time } of hasWaits(path) ? [] : annotations)
    times.set(region, Number(time) + (times.get(region) ?? 0));
  return [
    ...annotations.flatMap((row) => wordsIn('steps --by annotation', regionName(row), REGION_KEYS, row)),
    ...(page?.regions?.shown ?? []).flatMap((row) => wordsIn('page regions', regionName({ ...row }), REGION_WORDS, { ...row })), // prettier-ignore
    ...[...times].map(([region, value]) => ({ key: `kernel time in ${String(region)}`, answer: 'steps --by annotation', value })), // prettier-ignore
    ...(hasWaits(path) ? [] : await answer(path, '--by', 'range'))
      .filter(({ range }) => !String(range).startsWith('nccl:'))
      .flatMap((row) =>
        wordsIn('--by range', String(row['range']), { device: 'kernel time' }, row).map((figure) => ({
          ...figure,
          key: `kernel time in ${String(row['range'])}`,
        })),
      ),
  ];
}

/** Kinds of work other than kernels. */
const NO_KERNELS: ReadonlySet<unknown> = new Set(['communication', 'memcpy', 'memset', 'graphs']);

/** Kernels by category, their time in all, and the time in which work of a kind ran. */
async function ofCategories(path: string, page: PageProfile | undefined): Promise<Figure[]> {
  const rows = await answer(path, '--by', 'category', '-c', 'category,count,total', ...TIMED);
  const kernels = rows.filter(({ category }) => category !== 'wait');
  const overlaps = await answer(path, 'overlap', '--by', 'category');
  const kinds = overlaps.flatMap((row) => listIn(row, 'kinds'));
  const counts = new Map<unknown, number>();
  for (const { kind, count } of kinds) counts.set(kind, Number(count) + (counts.get(kind) ?? 0));
  const activeOf = (row: Row, ...names: string[]): number =>
    sumOf(listIn(row, 'kinds').filter(({ kind }) => names.includes(String(kind))).map(({ active }) => Number(active))); // prettier-ignore
  return [
    ...kernels.flatMap((row) => wordsIn('--by category', `category ${String(row['category'])}`, { count: 'kernels', total: 'kernel time' }, row)), // prettier-ignore
    ...(page?.categories ?? []).flatMap((row) => wordsIn('page categories', `category ${row.category ?? 'null'}`, { count: 'kernels', time: 'kernel time' }, { ...row })), // prettier-ignore
    ...(rows.length === 0 ? [] : [{ key: 'kernel time of the profile', answer: '--by category', value: sumOf(kernels.map(({ total }) => Number(total))) }]), // prettier-ignore
    ...[...counts].flatMap(
      ([kind, value]) =>
      NO_KERNELS.has(kind) ? [] : [{ key: `kernels of category ${kind === 'na' ? 'null' : String(kind)}`, answer: 'overlap', value }], // prettier-ignore
    ),
    ...overlaps.flatMap(
      (row) =>
      wordsIn('overlap', `device ${String(row['device'])}`, { communication: 'communication' }, { communication: activeOf(row, 'communication') }), // prettier-ignore
    ),
  ];
}

/** The parts of the path add up to the step, in all formats. */
async function ofCriticalPath(path: string): Promise<Figure[]> {
  const steps = await answer(path, 'critical-path');
  const { stdout } = await runCli('dprof', ['critical-path', '-q', path]);
  const nameOf = (step: unknown): string => `the path of step ${typeof step === 'number' ? step : 'all'}`;
  const [first = ''] = stdout.split('\n\nbound by');
  const rows = first.matchAll(/^ *(\d+|all) +([\d.]+) /gm);
  return [
    ...steps.flatMap(({ step, time, bounds, path: parts }) => {
      const sums = {
        bounds: sumOf(Object.values(bounds as Row).map(Number)),
        parts: sumOf((parts as readonly Row[]).map((part) => Number(part['time']))),
      };
      return wordsIn('critical-path', nameOf(step), { time: 'time', bounds: 'time', parts: 'time' }, { time, ...sums });
    }),
    ...[...rows].map(([, step = '', digits = '']) =>
      ofText(`time of ${nameOf(step === 'all' ? step : Number(step))}`, 'critical-path text', digits, 1e3),
    ),
  ];
}

const VERDICTS = ['complete', 'doubtful', 'incomplete'];

/** The verdict, and counts of losses and doubts, which the diagnostics of the summary have too. */
async function ofCheck(path: string, summary: Row, page: PageProfile | undefined): Promise<Figure[]> {
  const [check] = await answer(path, 'check');
  const diagnostics = (summary['diagnostics'] ?? {}) as Row;
  const countsIn = (name: string, reasons: readonly Row[]): Figure[] =>
    reasons.flatMap((row) => wordsIn(name, String(row['check']), { count: 'count' }, row));
  const reasons = listIn(check, 'reasons');
  const known = reasons.flatMap(({ check: about, count }) => (count === null ? [] : { check: about, count: diagnostics[String(about)] })); // prettier-ignore
  const verdictOf = (name: string, verdict: unknown): Figure[] =>
    typeof verdict === 'string' ? [{ key: 'verdict', answer: name, value: VERDICTS.indexOf(verdict) }] : [];
  return [
    ...countsIn('check', reasons),
    ...countsIn('diagnostics of the summary', known),
    ...countsIn('page', (page?.check.reasons ?? []) as unknown as Row[]),
    ...verdictOf('check', check?.['verdict']),
    ...verdictOf('page', page?.check.verdict),
  ];
}

/** Launches in the queues of the page and of the command. */
async function ofQueues(path: string, page: PageProfile | undefined): Promise<Figure[]> {
  const rows = await answer(path, 'queues');
  const saved = await answer(path, 'sequences');
  const savedWord = { saved: 'most time that fusing saves' };
  return [
    ...rows.flatMap((row) => wordsIn('queues', `stream ${String(row['stream'])} of device ${String(row['device'])}`, { launches: 'launches' }, row)), // prettier-ignore
    ...(saved.length === 0 ? [] : wordsIn('sequences', 'the profile', savedWord, saved[0] ?? {})),
    ...(page?.sequences.length === 0 ? [] : wordsIn('page sequences', 'the profile', savedWord, { ...page?.sequences[0] })), // prettier-ignore
  ];
}

const rankIn = (summary: Row): unknown => (summary['header'] as Row | undefined)?.['rank'] ?? null;

/** Figures of all answers of a profile. */
async function figuresOf(path: string): Promise<Figure[]> {
  const [summary, ...others] = await answer(path, 'summary');
  // An empty capture, or a file with no profile in it; a folder of profiles that are not ranks of one job.
  if (summary === undefined || (others.length > 0 && rankIn(summary) === null)) return [];
  const [ranks] = await answer(path, 'ranks');
  const [ofRank, ...otherRanks] = listIn(ranks, 'ranks');
  const page = await pageIfAny(path);
  if (page === null) return [];
  const [profile] = page.profiles;
  const advice = await answer(path, 'advise');
  const stepRows = await answer(path, 'steps');
  return [
    ...ofSummary('summary', summary),
    ...stepRows.flatMap((row) =>
      wordsIn('steps', row['step'] === 'all' ? `device ${String(row['device'])}` : stepName(row), STEPS_KEYS, row),
    ),
    ...advice.flatMap((row) => [
      ...('verdict' in row ? ofVerdict('advise', row) : []),
      ...wordsIn(
        'advise',
        `device ${String(row['device'])}`,
        { kernelNs: 'kernel time' },
        (row['evidence'] ?? {}) as Row,
      ),
    ]),
    ...(otherRanks.length > 0 ? [] : listIn(ranks, 'steps')).flatMap((row) =>
      wordsIn('ranks', stepName({ ...row, device: ofRank?.['device'] }), RANKS_KEYS, row),
    ),
    // Waits are no kernels.
    ...(hasWaits(path) ? [] : await answer(path, '--by', 'device', '-c', 'device,total', ...TIMED)).flatMap((row) =>
      wordsIn('--by device', `device ${String(row['device'])}`, { total: 'kernel time' }, row),
    ),
    ...(profile === undefined ? [] : ofPage(profile)),
    ...ofAllSteps(stepRows, await answer(path, 'steps', '--by', 'step')),
    ...(await ofRegions(path, profile)),
    ...(await ofCategories(path, profile)),
    ...(await ofCriticalPath(path)),
    ...(await ofCheck(path, summary, profile)),
    ...(await ofQueues(path, profile)),
    ...(await ofTexts(
      path,
      summary,
      advice.find((row) => 'verdict' in row),
    )),
  ];
}

/** Figures of one word that differ by more than `within`, and how many were compared. */
function unlike(figures: readonly Figure[], within: number): { found: string[]; compared: number } {
  const first = new Map<string, Figure>();
  const found: string[] = [];
  let compared = 0;
  for (const figure of figures) {
    const known = first.get(figure.key);
    if (known === undefined) first.set(figure.key, figure);
    else {
      compared++;
      if (Math.abs(figure.value - known.value) > Math.max(within, figure.within ?? 0))
        found.push(`${figure.key}: ${known.value} in ${known.answer}, ${figure.value} in ${figure.answer}`);
    }
  }
  return { found, compared };
}

/** A sample of each format, and one of a server. */
const SAMPLES = [
  ...['lenet.pt.trace.json.gz', 'transformer.nsys.sqlite', 'lenet.nvprof.sql', 'attention.ntff'],
  ...['ascend_pytorch_profiler_0.db', 'decoder.pt.trace.json.gz'],
];

/** Real profiles of one kind each, and those that long runs take too. */
const REAL = [
  ...['data/kineto/mi300_norm_layers_training.json.gz', 'data/nsys/vsr_a100_pyprof.sqlite'],
  ...['data/neuron/trn2_fused_bf16_s512', 'data/kineto/ranks/sampled_rank-1.json.gz'],
];
const MORE_REAL = [
  ...[
    'data/kineto/mi300_hipgraph_decode.json.gz',
    'data/ascend/db_level1_rank1',
    'data/kineto/cpu_only_torch_2_13.pt.trace.json.gz',
    'data/nvprof/nccl_8v100.nvvp',
  ],
  ...['data/kineto/h100_vit.json.gz', 'data/kineto/mi300_resnet_training.json.gz'],
  ...['data/kineto/a100_rank3of8_training.json.gz', 'data/nsys/h100_2gpu_orphans.sqlite'],
  'data/nsys/fsdp_2proc.sqlite',
  'data/nsys/nvtx_only.sqlite',
];

/** Folders of profilers that read as one profile (csv_docs_2025 holds two), and names of files that are one. */
const FOLDER = /^((ascend|neuron|made)\/[^/]+|amd\/csv_(?!docs_2025)\w+)$/;
const PROFILE =
  /^(kineto|amd|nsys|nvprof|made|pyprof|xplane)\/(?!oracle).*\.(json|json\.gz|sqlite|db|rpd|rpd\.gz|nvvp|sql|net\.dict|xplane\.pb)$/;

/** Every profile of ../shared that is in no list above. */
function otherProfiles(): string[] {
  const folder = sharedFile('data');
  if (folder === null) return [];
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return all
    .filter((name) => PROFILE.test(name) || (FOLDER.test(name) && statSync(join(folder, name)).isDirectory()))
    .map((name) => `data/${name}`)
    .filter((name) => ![...REAL, ...MORE_REAL].includes(name));
}

/** The command needs the page's program, which `npm run build` bundles. */
const isBuilt = existsSync(join(ROOT, 'dist/page/report.js'));

(isBuilt ? describe : describe.skip)('numbers of the page', function () {
  mark('slow', this);
  const check = async (path: string): Promise<void> => {
    const data = await pageOf(path);
    const [profile] = data.profiles;
    if (profile === undefined) expect.fail('no profile');
    for (const of of Object.values(CHECKS)) await of(profile, path, data);
  };
  for (const name of SAMPLES) it(`of ${name} are those of the commands`, () => check(join(ROOT, 'samples', name)));
  itEachShared(REAL, MORE_REAL, (name) => `of ${name} are those of the commands`, check);

  it('of ranks are those of dprof ranks', async () => {
    const files = [0, 1, 2, 3].map((rank) => join(ROOT, `samples/job/rank_${rank}.pt.trace.json.gz`));
    const records = await runCli('dparse', ['-q', ...files]);
    const { job } = dataIn((await runCli('dprof', ['html', '-q'], { input: records.stdout })).stdout);
    const report = JSON.parse(
      (await runCli('dprof', ['ranks', '-q', '-f', 'jsonl'], { input: records.stdout })).stdout,
    ) as {
      readonly stragglers: readonly Row[];
      readonly ranks: readonly Row[];
      readonly steps: readonly Row[];
      readonly tested: number;
    };
    if (job === null) expect.fail('no ranks');
    expect(job.tested).to.equal(report.tested);
    const late = job.late.map(({ name, late: time, share: part, q, steps }) => ({
      name,
      late: time,
      share: part,
      q,
      steps,
    }));
    compare(late, report.stragglers.map((row) => ({ ...row, name: `rank ${String(row['rank'])}` })), ['name']); // prettier-ignore
    expect(late).to.have.length(report.stragglers.length);
    const ranks = job.ranks.map(({ name, waited, offset, delayed }) => ({
      ...{ name, waited: rounded(waited), offset: rounded(offset), delayed: rounded(delayed) },
    }));
    compare(ranks, report.ranks.map((row) => ({ ...row, name: `rank ${String(row['rank'])}` })), ['name']); // prettier-ignore
    const columns = { 'Step time': 'step_time', Compute: 'compute', 'Exposed communication': 'exposed', Idle: 'idle' };
    for (const [title, column] of Object.entries(columns)) {
      const values = job.heat.find((map) => map.title === title)?.values ?? [];
      const cells = job.steps.flatMap((step, at) =>
        job.ranks.map((_, rank) => ({ rank, step, [column]: rounded(values[rank]?.[at] ?? null) })),
      );
      expect(cells).to.have.length(job.ranks.length * job.steps.length);
      compare(cells, report.steps, ['rank', 'step']);
    }
  });
});

(isBuilt ? describe : describe.skip)('figures of one word', function () {
  // Each profile is read once for each answer.
  this.timeout(600_000);
  let compared = 0;
  after(() => {
    if (compared > 0) process.stdout.write(`      ${compared} figures of one word compared\n`);
  });
  const check = async (path: string): Promise<void> => {
    const figures = await figuresOf(path);
    // Gaps in whole ns of a device that counts ps are off by up to 1 ns each.
    const found = unlike(figures, hasWaits(path) ? 10_000 : 1);
    compared += found.compared;
    expect(found.found).to.deep.equal([]);
  };
  for (const name of SAMPLES) it(`are equal in all answers about ${name}`, () => check(join(ROOT, 'samples', name)));
  itEachShared(REAL, [...MORE_REAL, ...otherProfiles()], (name) => `are equal in all answers about ${name}`, check);

  it('are found when one of them is changed', async () => {
    const figures = await figuresOf(join(ROOT, 'samples/decoder.pt.trace.json.gz'));
    const shared = figures.filter(({ key }) => figures.filter((other) => other.key === key).length > 1);
    expect(shared).to.have.length.above(100);
    for (const changed of shared) {
      const others = figures.map((figure) =>
        figure === changed ? { ...figure, value: figure.value + 2 * (figure.within ?? 1) + 1 } : figure,
      );
      expect(unlike(others, 1).found, changed.key).to.have.length.above(0);
    }
  });
});
