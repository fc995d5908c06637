/** A profile's overview as sections of cells, for both text and Markdown. */
import { largest } from '../../containers/element.js';
import type {
  KernelSummary,
  MemoryOperations,
  ProfileSummary,
  StepSpread,
  HostSummary,
  HostTally,
  CpuSummary,
  CpuTally,
} from '../../prof/summary/summary-data.js';
import { sumOf } from '../../prof/summary/tallies.js';
import { inDeviceWords } from '../../record/glossary.js';
import { amountText, TimeUnit, UNKNOWN, rounded } from '../../record/units.js';
import { programSections, kernelSections } from './summary-kernels.js';
import { devicesSections } from './summary-devices.js';
import { grouped, many } from '../../record/plural.js';
import {
  isOfNeuron,
  nextOver,
  plain,
  share,
  spreadText,
  TABLE,
  type About,
  type Section,
  type SummaryInput,
} from './summary-section.js';
import type { PhaseSummary } from '../../prof/steps/serving/serving-summary.js';

export function sectionsOf(overview: ProfileSummary, input: SummaryInput): Section[] {
  const { devices, kernels, host, cpu, program } = overview;
  const unit = new TimeUnit(largest([0, ...devices.map(({ span }) => span), kernels?.time ?? 0]));
  const about: About = { overview, unit, next: nextOver(input), measured: input.measured ?? null };
  return [
    ...devicesSections(about),
    ...(host === null ? [] : hostSections(about, host)),
    ...(kernels === null ? [] : kernelSections(about, kernels)),
    ...(cpu === null ? [] : cpuSections(cpu)),
    ...memorySections(about),
    ...noticeSections(overview),
    ...collectiveSections(about),
    ...linkSections(about),
    ...stepSections(about),
    ...servingSections(about),
    ...(kernels === null ? [] : replaySections(about, kernels)),
    ...(kernels === null ? [] : unattributedSections(about, kernels)),
    ...(program === null ? [] : programSections(about, program)),
    ...factSections(about),
    ...oddSections(about),
    ...(isOfNeuron(overview)
      ? [
          {
            ...plain("Metrics of the vendor's profiler", about.next('summary --vendor-metrics')),
            // The section only contains the command for the metrics, and a short summary has no such commands.
            ...{ isDetail: true as const, rows: [] },
          },
        ]
      : []),
  ];
}

function memorySections(about: About): Section[] {
  const { memory } = about.overview;
  if (memory.length === 0) return [];
  return [{ ...plain('Copies and memsets', about.next('advise')), ...movedRows('kind', memory, about) }];
}

function noticeSections({ notices }: ProfileSummary): Section[] {
  if (notices.length === 0) return [];
  return [{ ...plain("DMA notices of the vendor's tool", null), head: [''], rows: notices.map((text) => [text]) }];
}

/** Maximum links between ranks to list: those with the most time. */
const MOST_LINKS = 10;

function linkSections(about: About): Section[] {
  const { links } = about.overview;
  if (links.length === 0) return [];
  return [{ ...plain('Links', null), isDetail: true, ...movedRows('link', links.slice(0, MOST_LINKS), about) }];
}

function movedRows(
  name: string,
  moved: readonly MemoryOperations[],
  { unit }: About,
): Pick<Section, 'head' | 'right' | 'rows'> {
  const rows = moved.map(({ kind, count, time, bytes, unsized = 0, bytesPerS }) => [
    kind,
    unit.text(time),
    grouped(count),
    `${unsized > 0 ? '≥ ' : ''}${amountText(bytes, 'transfer')}`,
    amountText(bytesPerS, 'rate'),
    // A last cell, even if it is empty, keeps the previous cell right-aligned.
    unsized > 0 ? `${grouped(unsized)} of unknown size, not in the rate` : '',
  ]);
  return { head: [name, 'time', 'count', 'bytes', 'rate'], right: [1, 2, 3, 4], rows };
}

const MOST_KINDS = 6;

function collectiveSections({ overview, unit, next }: About): Section[] {
  const { collectives } = overview;
  if (collectives.length === 0) return [];
  const rows = collectives
    .slice(0, MOST_KINDS)
    .map(({ name, count, time, bytes, groups }) => [
      name,
      unit.text(time),
      grouped(count),
      amountText(bytes, 'transfer'),
      groups.length === 0 ? '' : many(groups.length, 'group'),
    ]);
  const head = ['operation', 'time', 'count', 'bytes', 'groups'];
  const words = collectivesWords(overview);
  return [{ ...plain('Collectives', words === null ? null : next(words)), head, right: [1, 2, 3], rows }];
}

/**
 * `dprof steps` is the only command that lists collective operations other than kernels. No command lists those without
 * a time.
 */
function collectivesWords({ devices, kernels, header }: ProfileSummary): string | null {
  if (devices.length === 0) return null;
  const areKernels = kernels !== null && devices.some(({ counts }) => counts.communications > 0);
  if (!areKernels || header?.format.startsWith('ascend') === true) return 'steps';
  return `--by collective,group,kernel --where 'collective!=na || kernel~nccl' ${TABLE}`;
}

function stepSections({ overview: { devices, steps }, unit, next }: About): Section[] {
  if (steps === null) return [];
  const { count, list, host, device } = steps;
  const isIncomplete = devices.some(({ missing }) => missing !== null);
  const span = list.reduce((sum, step) => sum + step.span, 0);
  const busy = list.reduce((sum, step) => sum + step.busy, 0);
  const all = list.reduce((sum, { kernelTime }) => sum + kernelTime, 0);
  const byThreads = list.reduce<number | null>(
    (sum, { ownKernelTime }) => (sum === null || ownKernelTime === null ? null : sum + ownKernelTime),
    0,
  );
  const rows = [
    ...(host === null ? [] : [[`step (host) ${stepText(host, count, unit)}`]]),
    [`step (device) ${stepText(device, list.length, unit)}`],
    [
      `busy ${isIncomplete ? 'at least ' : ''}${share(busy, span)} of step (device)${list.length > 1 ? ', without the time between steps' : ''}`,
    ],
    [
      `kernels launched in steps: ${unit.text(all)}, by the step's own thread ${byThreads === null ? UNKNOWN : unit.text(byThreads)}`,
    ],
  ];
  return [{ ...plain(`Steps: ${grouped(count)}`, next('steps')), head: [''], rows }];
}

/** `15.9 ms median, 15.8 ms to 16.8 ms, deviation 3.2 %`; the deviation is relative to the mean. */
function stepText(steps: StepSpread, count: number, unit: TimeUnit): string {
  const { variation } = steps;
  const deviation = variation === null ? '' : `, deviation ${amountText(variation, 'share')}`;
  return `${spreadText({ ...steps, count }, unit)}${deviation}`;
}

const MOST_REASONS = 3;

function unattributedSections({ overview, unit, next }: About, { time, unattributed }: KernelSummary): Section[] {
  const { count, time: lost, reasons } = unattributed;
  // Instructions of a Neuron capture do not name ops, so the section would be empty.
  if (count === 0 || (isOfNeuron(overview) && lost === time)) return [];
  const title = `Without op: ${many(count, 'kernel')}, ${share(lost, time)} of kernel time`;
  const rows = reasons
    .slice(0, MOST_REASONS)
    .map((reason) => [unit.text(reason.time), grouped(reason.count), reason.name]);
  return [
    {
      ...plain(
        inDeviceWords(title, overview.header),
        next(`-c idx,kernel,api,sil --where 'op==na' --sort sil ${TABLE}`),
      ),
      head: ['time', 'count', 'reason'],
      right: [0, 1],
      rows,
    },
  ];
}

/** Kernels of replayed graphs, and how their place of capture is known. */
function replaySections({ unit, next }: About, { time, replayed }: KernelSummary): Section[] {
  if (replayed.length === 0) return [];
  const count = replayed.reduce((sum, tally) => sum + tally.count, 0);
  return [
    {
      ...plain(
        `Replayed graphs: ${many(count, 'kernel')}, ${share(sumOf(replayed), time)} of kernel time`,
        next(`--by graph,origin,op ${TABLE}`),
      ),
      head: ['time', 'count', 'origin'],
      right: [0, 1],
      rows: replayed.map((tally) => [unit.text(tally.time), grouped(tally.count), tally.name]),
    },
  ];
}

/** Maximum number of facts to show (the profile line has all), and maximum length of a line that joins several texts. */
const [MOST_FACTS, LINE_WIDTH] = [40, 90];

/** Rows of several texts each, as many as a line has room for. */
function rowsOfTexts(texts: readonly string[]): string[][] {
  const lines: string[] = [];
  for (const text of texts) {
    const joined = `${lines.at(-1) ?? ''}, ${text}`;
    if (lines.length > 0 && joined.length <= LINE_WIDTH) lines[lines.length - 1] = joined;
    else lines.push(text);
  }
  return lines.map((line) => [line]);
}

function factSections({ overview: { header } }: About): Section[] {
  const facts = Object.entries(header?.facts ?? {});
  if (facts.length === 0) return [];
  const texts = facts.slice(0, MOST_FACTS).map(([name, value]) => `${name} ${value}`);
  if (facts.length > MOST_FACTS) texts.push(`and ${facts.length - MOST_FACTS} more`);
  return [{ ...plain('Profile facts', null), isDetail: true, head: [''], rows: rowsOfTexts(texts) }];
}

/** If no device worked, a fact may say why. */
function oddSections({ overview: { devices, diagnostics } }: About): Section[] {
  const counts = Object.entries(diagnostics).map(([name, count]) => `${name} ${grouped(count)}`);
  if (counts.length === 0) return [];
  const detail = devices.length > 0 ? ({ isDetail: true } as const) : {};
  return [{ ...plain('Problems in the input', null), ...detail, head: [''], rows: rowsOfTexts(counts) }];
}

/** Ranks side by side; null for fewer than two. */
export function ranksSection(overviews: readonly ProfileSummary[], input: SummaryInput): Section | null {
  const rows = overviews.flatMap(({ profile, header, devices, steps }) =>
    devices.map((device) => ({ profile, rank: header?.rank ?? null, median: steps?.device.median ?? null, device })),
  );
  if (overviews.filter(({ devices }) => devices.length > 0).length < 2) return null;
  const unit = new TimeUnit(largest(rows.map(({ device }) => device.span)));
  return {
    ...plain(
      `Profiles compared, times in ${unit.name}`,
      nextOver(input)(input.isPartial ? 'ranks' : `--by rank,kernel ${TABLE}`),
    ),
    head: ['profile', 'rank', 'device', 'span', 'busy', '', 'compute', 'comm', 'exposed', '', 'idle', 'step', ''],
    isHeaded: true,
    right: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    rows: rows.map(
      ({ profile, rank, median, device: { device, span, busy, compute, communication, exposed, idle } }) => [
        String(profile),
        String(rank ?? UNKNOWN),
        String(device),
        unit.bare(span),
        busy === null ? UNKNOWN : unit.bare(busy),
        busy === null ? UNKNOWN : share(busy, span),
        unit.bare(compute),
        unit.bare(communication),
        unit.bare(exposed),
        share(exposed, span),
        idle === null ? UNKNOWN : unit.bare(idle),
        median === null ? UNKNOWN : unit.bare(median),
        '',
      ],
    ),
  };
}

// Sections of a summary about the host: its activity while devices were idle, threads on its cores, and steps of model
// servers.

function servingSections({ overview: { steps }, unit, next }: About): Section[] {
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

function cpuSections({ traced, time, cores, processes }: CpuSummary): Section[] {
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

function hostSections({ next }: About, host: HostSummary): Section[] {
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
    ...hostStepSections(next, host),
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

function hostStepSections(next: About['next'], { steps }: HostSummary): Section[] {
  if (steps === null) return [];
  const rows = [[spreadText(steps, new TimeUnit(steps.max))]];
  return [{ ...plain(`Steps: ${grouped(steps.count)}`, next('steps')), head: [''], rows }];
}
