/** A profile's overview as sections of cells, for both text and Markdown. */
import { largest } from '../../containers/element.js';
import type { KernelSummary, MemoryOperations, ProfileSummary, StepSpread } from '../../prof/summary/summary-data.js';
import { sumOf } from '../../prof/summary/tallies.js';
import { inDeviceWords } from '../../record/glossary.js';
import { amountText, TimeUnit, UNKNOWN } from '../../record/units.js';
import { cpuSections, hostSections, servingSections } from './summary-host.js';
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

export function sectionsOf(overview: ProfileSummary, input: SummaryInput): Section[] {
  const { devices, kernels, host, cpu, program } = overview;
  const unit = new TimeUnit(largest([0, ...devices.map(({ span }) => span), kernels?.time ?? 0]));
  const about: About = { overview, unit, next: nextOver(input) };
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
  const rows = moved.map(({ kind, count, time, bytes, bytesPerS }) => [
    kind,
    unit.text(time),
    grouped(count),
    amountText(bytes, 'transfer'),
    amountText(bytesPerS, 'rate'),
    // An empty last cell keeps the previous cell right-aligned.
    '',
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

/** Maximum facts to show (the profile line has all of them), and maximum characters of them on a line. */
const [MOST_FACTS, FACTS_WIDTH] = [40, 90];

function factSections({ overview: { header } }: About): Section[] {
  const facts = Object.entries(header?.facts ?? {});
  if (facts.length === 0) return [];
  const texts = facts.slice(0, MOST_FACTS).map(([name, value]) => `${name} ${value}`);
  if (facts.length > MOST_FACTS) texts.push(`and ${facts.length - MOST_FACTS} more`);
  const lines: string[] = [];
  for (const text of texts) {
    const joined = `${lines.at(-1) ?? ''}, ${text}`;
    if (lines.length > 0 && joined.length <= FACTS_WIDTH) lines[lines.length - 1] = joined;
    else lines.push(text);
  }
  return [{ ...plain('Profile facts', null), isDetail: true, head: [''], rows: lines.map((line) => [line]) }];
}

/** If no device worked, a fact may say why. */
function oddSections({ overview: { devices, diagnostics } }: About): Section[] {
  const counts = Object.entries(diagnostics).map(([name, count]) => `${name} ${grouped(count)}`);
  if (counts.length === 0) return [];
  const detail = devices.length > 0 ? ({ isDetail: true } as const) : {};
  return [{ ...plain('Problems in the input', null), ...detail, head: [''], rows: [[counts.join(', ')]] }];
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
