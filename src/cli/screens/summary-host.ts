/**
 * Sections of a summary about the host: its activity while devices were idle, threads on its cores, and steps of model
 * servers.
 */
import type { HostSummary, HostTally, CpuSummary, CpuTally } from '../../prof/summary/summary-data.js';
import { TimeUnit, UNKNOWN, rounded } from '../../record/units.js';
import { grouped, many } from '../../record/plural.js';
import { plain, share, spreadText, TABLE, type About, type Section } from './summary-section.js';
import type { PhaseSummary } from '../../prof/steps/serving/serving-summary.js';

export function servingSections({ overview: { steps }, unit, next }: About): Section[] {
  const serving = steps?.serving ?? [];
  if (serving.length === 0) return [];
  const rows = serving.flatMap((phase) => [[paceOf(phase, unit)], [amountsOf(phase)], [sharesOf(phase)]]);
  return [{ ...plain("Serving, shares of the time of the steps' kernels", next('steps')), head: [''], rows }];
}

/** Pace of a phase: `decode: 12 steps of 30 to 32 requests, 2986 tokens/s, 10.72 ms per output token` */
function paceOf({ phase, steps, batch, tokensPerS, timePerOutputToken }: PhaseSummary, unit: About['unit']): string {
  const requests = batch === null ? '' : ` of ${requestsText(batch)}`;
  const wait = timePerOutputToken === null ? '' : `, ${unit.text(timePerOutputToken)} per output token`;
  const rate = tokensPerS === null ? UNKNOWN : rounded(tokensPerS);
  return `${phase ?? 'phase unknown'}: ${many(steps, 'step')}${requests}, ${rate} tokens/s${wait}`;
}

const requestsText = ({ min, max }: NonNullable<PhaseSummary['batch']>): string =>
  min === max ? many(max, 'request') : `${grouped(min)} to ${many(max, 'request')}`;

/** Tokens of a phase: `  tokens: 15,360 context, 32 generated; device idle 0.4 % of the time` */
function amountsOf({ contextTokens, generationTokens, idle, deviceTime }: PhaseSummary): string {
  const amounts = [
    [contextTokens, 'context'],
    [generationTokens, 'generated'],
  ] as const;
  const texts = amounts
    .filter(([count]) => count !== 0)
    .map(([count, noun]) => `${count === null ? UNKNOWN : grouped(count)} ${noun}`);
  const rest = idle === null || deviceTime === null ? UNKNOWN : share(idle, deviceTime);
  return `  tokens: ${texts.join(', ')}; device idle ${rest} of the time`;
}

/** Shares of a phase: `  experts 71.8 %, projection 11.5 %` */
function sharesOf({ parts }: PhaseSummary): string {
  const times = Object.entries(parts).filter(([, time]) => time > 0);
  const all = times.reduce((sum, [, time]) => sum + time, 0);
  const texts = times.sort(([, a], [, b]) => b - a).map(([part, time]) => `${part} ${share(time, all)}`);
  return `  ${texts.join(', ')}`;
}

/** Maximum cores, and processes, to list. */
const LISTED = 4;

export function cpuSections({ traced, time, cores, processes }: CpuSummary): Section[] {
  const unit = new TimeUnit(traced ?? 0);
  const row = (noun: string, { id, time: ns, switches, samples }: CpuTally): string[] => [
    `${noun} ${id}`,
    ns === null ? UNKNOWN : unit.text(ns),
    ns === null || traced === null ? UNKNOWN : share(ns, traced),
    switches === null ? UNKNOWN : grouped(switches),
    samples === null ? UNKNOWN : grouped(samples),
    '',
  ];
  const spent =
    time === null || traced === null
      ? ''
      : `: threads ran for ${unit.text(time)} in total, within ${unit.text(traced)}`;
  return [
    {
      ...plain(`CPU, ${many(cores.length, 'core')}, ${many(processes.length, 'process')}${spent}`, null),
      head: ['', 'time', 'share', 'scheduled', 'samples', ''],
      isHeaded: true,
      right: [1, 2, 3, 4],
      rows: [
        ...cores.slice(0, LISTED).map((core) => row('core', core)),
        ...processes.slice(0, LISTED).map((process) => row('process', process)),
      ],
    },
  ];
}

const COLUMNS = '-c passes,host,hostself --sort hostself';

/** The lists, each with the key of `--by` that shows all of its rows. */
const LISTS = [
  ['ops', 'Ops', 'op'],
  ['annotations', 'Annotations', 'ranges'],
  ['layers', 'Layers', 'layer'],
] as const;

export function hostSections({ next }: About, host: HostSummary): Section[] {
  const unit = new TimeUnit(host.time);
  const ranges = host.kinds.reduce((sum, { count }) => sum + count, 0);
  const threads = host.threads === null ? '' : ` of ${many(host.threads, 'thread')}`;
  const title = `Host: no device work is recorded; ${many(ranges, 'range')}${threads}, ${unit.text(host.time)}`;
  const rows = host.kinds.map(({ name, count, time }) => [
    name,
    unit.text(time),
    share(time, host.time),
    grouped(count),
  ]);
  const heads = { head: ['kind', 'self time', 'share', 'ranges'], isHeaded: true, right: [1, 2, 3] };
  return [
    ...(ranges === 0 ? [] : [{ ...plain(title, null), ...heads, rows }]),
    ...LISTS.flatMap(([list, title, key]) =>
      host[list].length === 0
        ? []
        : [listSection(`${title} on the CPU`, next(`--by ${key} ${COLUMNS} ${TABLE}`), host[list], host.time)],
    ),
    ...stepSections(next, host),
  ];
}

function listSection(title: string, next: string | null, tallies: readonly HostTally[], all: number): Section {
  const unit = new TimeUnit(all);
  return {
    ...plain(title, next),
    head: ['self time', 'share', 'count', 'total', 'name'],
    isHeaded: true,
    right: [0, 1, 2, 3],
    rows: tallies.map(({ name, count, time, total }) => [
      unit.text(time),
      share(time, all),
      grouped(count),
      unit.text(total),
      name,
    ]),
  };
}

function stepSections(next: About['next'], { steps }: HostSummary): Section[] {
  if (steps === null) return [];
  const rows = [[spreadText(steps, new TimeUnit(steps.max))]];
  return [{ ...plain(`Steps: ${grouped(steps.count)}`, next('steps')), head: [''], rows }];
}
