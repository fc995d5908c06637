/** Traces of jobs in both formats, held against what happened in the job: each slice, each arrow between ranks, the clocks. */
import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ORIGIN_UNIX_NS } from '../../samples/programs/job/clocks.js';
import { SLOTS } from '../../samples/programs/job/messages.js';
import { NO_NOISE, type JobRequest } from '../../samples/programs/job/options.js';
import { jobRecords } from '../../samples/programs/job/records.js';
import { simulateJob, type SimulatedJob } from '../../samples/programs/job/simulate.js';
import { messagesOf, programOf, type MessageTruth } from '../../samples/programs/job/truth.js';
import { entryOf } from '../../src/containers/map-entry.js';
import { STEP_METRIC, type ProfileLine } from '../../src/record/record.js';
import { shownTrace } from '../support/perfetto-trace.js';
import { runCli } from '../support/run-cli.js';
import { itSlow } from '../support/sets.js';
import { cutOnes, type ChromeFile } from '../support/trace-events.js';

const SMALL: JobRequest = {
  ...{ tp: 2, pp: 2, dp: 2, ranksPerNode: 4, steps: 3, layers: 1, microBatches: 2, kernelsPerLayer: 1 },
  noise: { late: 0 },
};
/** Of the simulation's ends of one operation, ns. */
const END_SKEW = 2000;
/** Operations that the last rank joins by so much later than the others have the same last rank in the trace, ns. */
const CLEARLY_LAST = 10_000;

/** Work of a device; times in ns since the job's origin. */
interface Drawn {
  readonly rank: number;
  readonly stream: number;
  readonly start: number;
  readonly end: number;
}

interface DrawnTrace {
  readonly work: readonly Drawn[];
  /** Between devices. */
  readonly arrows: readonly (readonly [from: Drawn, to: Drawn])[];
  /** Ranks of the processes in the order in which viewers list them. */
  readonly ranks: readonly number[];
}

const STREAM = /^rank (\d+), device \d+: [^/]*\/stream (\d+)/;
const rankIn = (name: string): number => Number(/^rank (\d+), /.exec(name)?.[1] ?? NaN);

function drawnPerfetto(bytes: Buffer): DrawnTrace {
  const { events, arrows, processes } = shownTrace(bytes);
  const work = new Map(
    events.flatMap((event) => {
      const [, rank, stream] = STREAM.exec(event.track.path) ?? [];
      const [start, end] = [Number(event.start - ORIGIN_UNIX_NS), Number(event.end - ORIGIN_UNIX_NS)];
      return rank === undefined ? [] : [[event, { rank: Number(rank), stream: Number(stream), start, end }] as const];
    }),
  );
  const between = arrows.flatMap(([from, to]) => {
    const [first, last] = [work.get(from), work.get(to)];
    return first === undefined || last === undefined ? [] : [[first, last] as const];
  });
  return { work: [...work.values()], arrows: between, ranks: processes.map(rankIn) };
}

function drawnChrome(bytes: Buffer): DrawnTrace {
  const { traceEvents, otherData } = JSON.parse(bytes.toString()) as ChromeFile;
  expect(cutOnes(traceEvents)).to.deep.equal([]);
  const zero = Number(BigInt(otherData['timeZeroUnixNs'] ?? 0) - ORIGIN_UNIX_NS);
  const ns = (us = NaN): number => Math.round(us * 1000);
  const about = (what: string) => traceEvents.filter(({ name }) => name === what);
  const processes = new Map(about('process_name').map(({ pid, args }) => [pid, String(args?.['name'])]));
  const lineOf = ({ pid, tid = 0 }: { readonly pid: number; readonly tid?: number }): string => `${pid}/${tid}`;
  const paths = new Map(
    about('thread_name').map((one) => [lineOf(one), `${processes.get(one.pid) ?? ''}/${String(one.args?.['name'])}`]),
  );
  const work = new Map<string, Drawn>();
  for (const event of traceEvents) {
    const [, rank, stream] = STREAM.exec(paths.get(lineOf(event)) ?? '') ?? [];
    if (event.ph !== 'X' || rank === undefined) continue;
    const start = zero + ns(event.ts);
    const drawn = { rank: Number(rank), stream: Number(stream), start, end: start + ns(event.dur) };
    work.set(`${lineOf(event)}/${event.ts}`, drawn);
  }
  const ends = new Map<string, Drawn | undefined>();
  const byLine = grouped([...work], ([key]) => key.slice(0, key.lastIndexOf('/')));
  /** The slice around a time, of which there is one on lines of devices. */
  const around = (line: string, at: number): Drawn | undefined =>
    byLine.get(line)?.find(([, { start, end }]) => start < at && at < end)?.[1];
  for (const event of traceEvents) {
    if (event.ph !== 's' && event.ph !== 'f') continue;
    const key = `${event.ph}${event.id}`;
    expect(ends.has(key), `arrow ${key} twice`).to.equal(false);
    const line = lineOf(event);
    ends.set(key, work.get(`${line}/${event.ts}`) ?? around(line, zero + ns(event.ts)));
    if (event.ph === 'f') expect(event.bp, 'binds to the slice around it').to.equal('e');
  }
  const arrows = [...ends.keys()].flatMap((key) => {
    const other = `${key.startsWith('s') ? 'f' : 's'}${key.slice(1)}`;
    expect(ends.has(other), `arrow ${key} without its other end`).to.equal(true);
    const [from, to] = [ends.get(key), ends.get(other)];
    return key.startsWith('f') || from === undefined || to === undefined ? [] : [[from, to] as const];
  });
  const order = new Map(about('process_sort_index').map(({ pid, args }) => [pid, Number(args?.['sort_index'])]));
  const listed = [...processes].sort(([a], [b]) => (order.get(a) ?? NaN) - (order.get(b) ?? NaN));
  return { work: [...work.values()], arrows, ranks: listed.map(([, name]) => rankIn(name)) };
}

const READERS = { pftrace: drawnPerfetto, 'chrome-json': drawnChrome } as const;

interface Scenario {
  readonly request: JobRequest;
  /** What is asked for; all where it is not given. */
  readonly ranks?: readonly number[];
  readonly steps?: readonly number[];
  /** By how much a rank numbers its steps differently. */
  readonly numbering?: Readonly<Record<number, number>>;
  readonly stated?: boolean;
}

function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) entryOf(groups, keyOf(item), () => []).push(item);
  return groups;
}

const keyOf = (channel: number, ordinal: number): string => `${channel}/${ordinal}`;

const listOf = (name: string, numbers: readonly number[] | undefined): string[] =>
  numbers === undefined ? [] : [name, numbers.join(',')];

/** Records with other numbers of steps. */
function renumbered(record: ProfileLine, by: number): ProfileLine {
  if (record.type === 'sample' && record.metric === STEP_METRIC)
    return { ...record, value: (record.value ?? 0) + by, labels: { ...record.labels, text: 'step' } };
  return 'step' in record && typeof record.step === 'number' ? { ...record, step: record.step + by } : record;
}

/** The drawn work of each message: by its channel and place there, in no order. */
function messagesIn(job: SimulatedJob, work: readonly Drawn[], { ranks, steps, numbering }: Scenario) {
  const messages = new Map<string, Drawn[]>();
  const byRank = grouped(work, ({ rank }) => rank);
  for (const { rank } of job.ranks) {
    const isShown = (step: number): boolean =>
      (ranks?.includes(rank) ?? true) && (steps?.includes(step + (numbering?.[rank] ?? 0)) ?? true);
    const drawn = grouped(byRank.get(rank) ?? [], ({ stream }) => stream);
    const ops = programOf(job, rank).ops.filter(({ step }) => isShown(step));
    const expected = grouped(ops, ({ stream }) => stream);
    expect([...drawn.keys()].sort(), `streams of rank ${rank}`).to.deep.equal([...expected.keys()].sort());
    for (const [stream, inOrder] of expected) {
      const slices = (drawn.get(stream) ?? []).sort((a, b) => a.start - b.start);
      expect(slices.length, `work of rank ${rank}, stream ${stream}`).to.equal(inOrder.length);
      inOrder.forEach(({ message, ordinal }, i) => {
        const slice = slices[i];
        if (message === null || slice === undefined) return;
        const channel = job.channels.of[rank * SLOTS.length + SLOTS.indexOf(message.slot)] ?? -1;
        entryOf(messages, keyOf(channel, ordinal), () => []).push(slice);
      });
    }
  }
  return messages;
}

/** Whether all members are drawn, and the last one came much later than the others. */
const isClear = ({ arrivals, begin, ranks }: MessageTruth, members: readonly Drawn[]): boolean =>
  members.length === ranks.length && arrivals.filter((arrival) => begin - arrival < CLEARLY_LAST).length === 1;

const most = (values: readonly number[]): number => values.reduce((all, value) => Math.max(all, value), -Infinity);

describe('the trace of a job', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dprof-perfetto-job-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Files of all ranks, in no order of rank. */
  function writeFiles(job: SimulatedJob, { numbering, stated = true }: Scenario): string[] {
    return job.ranks.toReversed().map(({ rank }) => {
      const path = join(folder, `rank_${rank}.jsonl`);
      const format = { profile: 0, ordinals: stated, descriptions: stated };
      const records = [...jobRecords(job, rank, format)].map((one) => renumbered(one, numbering?.[rank] ?? 0));
      writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      return path;
    });
  }

  async function boundsOf(files: readonly string[]): Promise<Map<number, number>> {
    const { stdout } = await runCli('dprof', ['ranks', '-f', 'jsonl', ...files]);
    const { ranks } = JSON.parse(stdout) as { ranks: { rank: number; bound: number }[] };
    return new Map(ranks.map(({ rank, bound }) => [rank, bound]));
  }

  async function check(scenario: Scenario): Promise<void> {
    const job = simulateJob(scenario.request);
    const files = writeFiles(job, scenario);
    const bounds = await boundsOf(files);
    const truths = new Map(
      [...messagesOf(job)].map((truth) => {
        const channel = job.channels.all.find(({ group, members }) => group === truth.group && members.join() === truth.ranks.join()); // prettier-ignore
        return [keyOf(channel?.id ?? -1, truth.ordinal), truth] as const;
      }),
    );
    const chosen = [...listOf('--rank', scenario.ranks), ...listOf('--step', scenario.steps)];
    for (const [format, read] of Object.entries(READERS)) {
      const out = join(folder, 'job.trace');
      const args = ['perfetto', '-f', format, '--align', 'job', ...chosen, '-o', out, ...files];
      const { code, stderr } = await runCli('dprof', args);
      expect(code, stderr).to.equal(0);
      const { work, arrows, ranks } = read(readFileSync(out));
      expect(ranks, 'processes in order of rank').to.deep.equal(ranks.toSorted((a, b) => a - b));
      const messages = messagesIn(job, work, scenario);
      const messageOf = new Map([...messages].flatMap(([key, members]) => members.map((one) => [one, key] as const)));
      const into = grouped(arrows, ([, to]) => to);
      for (const [from, to] of arrows) {
        expect(messageOf.get(from), 'an arrow within one operation').to.be.a('string').and.equal(messageOf.get(to));
        expect(to.end, 'an arrow forward in time').to.be.greaterThan(from.start);
      }
      for (const [key, members] of messages) {
        checkTimes(members, bounds);
        const truth = truths.get(key);
        if (truth?.kind === 'send') {
          const drawn = members.flatMap((to) => (into.get(to) ?? []).map(([from]) => [from.rank, to.rank]));
          expect(drawn, 'from the send to the receive').to.deep.equal(members.length < 2 ? [] : [truth.ranks]);
          continue;
        }
        const begin = most(members.map(({ start }) => start));
        const waiting = members.filter(({ start }) => start < begin);
        const lasts = members.filter((member) => into.has(member));
        expect(lasts.length, key).to.equal(waiting.length > 0 ? 1 : 0);
        const [last] = lasts;
        if (last === undefined) continue;
        const joined = into.get(last)?.map(([from]) => from);
        expect(joined, `arrows of ${key}`).to.have.members(waiting);
        expect(last.start).to.equal(begin);
        if (truth !== undefined && isClear(truth, members)) expect(last.rank).to.equal(truth.lastRank);
      }
    }
  }

  /** No member ends before the last one has joined, and all end together, as far as the clocks are known. */
  function checkTimes(members: readonly Drawn[], bounds: ReadonlyMap<number, number>): void {
    for (const a of members)
      for (const b of members) {
        expect(a.end).to.be.at.least(b.start);
        const bound = (bounds.get(a.rank) ?? NaN) + (bounds.get(b.rank) ?? NaN);
        expect(Math.abs(a.end - b.end)).to.be.at.most(bound + END_SKEW);
      }
  }

  const SCENARIOS: Readonly<Record<string, Scenario>> = {
    'with all ranks and steps': { request: SMALL },
    'with some steps': { request: { ...SMALL, seed: 2 }, steps: [1, 2] },
    'with some ranks and one step': { request: { ...SMALL, seed: 3 }, ranks: [0, 1, 2, 5], steps: [2] },
    'whose profiles state neither ordinals nor groups': { request: { ...SMALL, pp: 1, dp: 4, seed: 4 }, stated: false },
    'of more than ten ranks': { request: { ...SMALL, dp: 3, steps: 2, seed: 5 } },
    'whose ranks do the same at the same time': { request: { ...SMALL, clocks: 'none', noise: NO_NOISE, seed: 7 } },
    'of which a rank numbers its steps differently': {
      request: { ...SMALL, seed: 6 },
      steps: [2],
      numbering: { 3: 1 },
    },
  };
  /** Jobs that differ most. */
  const SAMPLED = ['with some ranks and one step', 'whose profiles state neither ordinals nor groups', 'of which a rank numbers its steps differently']; // prettier-ignore
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    const test = SAMPLED.includes(name) ? it : itSlow;
    test(`${name} has each piece of work once, and joins the members of each operation`, () => check(scenario));
  }
});
