/**
 * Turns neuron-monitor reports into records, one report at a time. Nothing of a report is kept after its records, so a
 * stream may run for days. The profile line is made from the first report.
 *
 * Every value of a report becomes a sample. `start` is the beginning of the report's period, `dur` the period of its metric
 * group, `labels.report` the report's number from 1, `device` the NeuronCore; `labels.device` is the Neuron device, which
 * has several cores.
 */
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { UserError } from '../../../../record/errors.js';
import type { Device, NoticeRecord, ProfileLine, SampleRecord, ProfileRecord } from '../../../../record/record.js';
import { endRecord } from '../../../trace/emit.js';
import { leavesOf, isPeriod, ReportTimes, timeOf, type Leaf } from './leaves.js';
import { REPORT_KEYS } from './value-paths.js';
import { coreOfArch, coreOfInstance } from '../../../../record/neuron/neuron-cores.js';
import { knownFacts, neuronDevice, profileRecord } from '../profile-record.js';

const isReport = (value: object): value is Readonly<Record<string, unknown>> =>
  REPORT_KEYS.some((key) => Object.hasOwn(value, key));

/** Whether a line that is not JSON looks like a damaged report, because other programs may write to the same output. */
const isOfReport = (line: string): boolean => line.trimStart().startsWith('{');

export class MonitorReports {
  readonly #times = new ReportTimes();
  #reports = 0;
  #samples = 0;
  #notices = 0;

  constructor(
    private readonly name: StreamName,
    private readonly diagnostics: Diagnostics,
    private readonly allFields = false,
  ) {}

  /** Records of a line; none for a line that is not a report, which is counted. */
  take(line: string): ProfileLine[] {
    if (line.trim() === '') return [];
    const report = parse(line);
    if (report !== null) return this.#report(report);
    this.diagnostics.count(isOfReport(line) ? 'malformed-event' : 'not-a-report');
    return [];
  }

  /**
   * Records of the text after the last line feed, and the end line.
   * @param rest the text after the last line feed; null when there is none, or it is too long
   * @throws UserError when there was no report at all
   */
  end(rest: string | null = null): ProfileLine[] {
    const last = rest === null || rest.trim() === '' ? [] : this.#last(rest);
    const { profile, input } = this.name;
    if (this.#reports === 0) {
      throw new UserError('contains no neuron-monitor report, which is one JSON object per line', {
        where: input,
        hint: 'jq -c . FILE puts objects on one line each',
      });
    }
    const counts = {
      ...(this.#notices === 0 ? undefined : { notice: this.#notices }),
      sample: this.#samples,
    };
    return [...last, endRecord(profile, counts, this.diagnostics)];
  }

  /** Reads a last line without a line feed: a complete report, or a truncated one. */
  #last(rest: string): ProfileLine[] {
    const report = parse(rest);
    if (report !== null) return this.#report(report);
    this.diagnostics.count(isOfReport(rest) ? 'truncated-input' : 'not-a-report');
    return [];
  }

  #report(report: object): ProfileLine[] {
    if (!isReport(report)) {
      this.diagnostics.count('not-a-report');
      return [];
    }
    const leaves = leavesOf(report, this.diagnostics, this.allFields);
    const start = this.#times.next(shortestPeriod(leaves), timeOf(report));
    if (start === null) this.diagnostics.count('report-without-period');
    const header = this.#reports++ === 0 ? [streamHeader(this.name, leaves, this.#times.origin)] : [];
    const notices = leaves.filter(({ metric }) => metric === 'error').map((leaf) => this.#notice(leaf));
    this.diagnostics.count('monitor-error', notices.length);
    this.#notices += notices.length;
    this.#samples += leaves.length;
    return [...header, ...notices, ...leaves.map((leaf) => this.#sample(leaf, start))];
  }

  #notice({ text = '', labels: { group } }: Leaf): NoticeRecord {
    return { type: 'notice', profile: this.name.profile, category: group === undefined ? null : String(group), text };
  }

  #sample({ metric, value, unit, text, labels, period }: Leaf, start: number | null): SampleRecord {
    const { core } = labels;
    return {
      type: 'sample',
      profile: this.name.profile,
      start,
      ...(period === null || text !== undefined ? undefined : { dur: Math.round(period * 1e9) }),
      device: typeof core === 'number' ? core : null,
      metric,
      value,
      ...(text === undefined ? undefined : { text }),
      unit,
      labels: { report: this.#reports, ...labels },
    };
  }
}

/** The JSON object of a line; null when the line is something else. */
function parse(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line.replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The report's own period. A report is written whenever a metric group is due, so groups with longer periods span several
 * reports.
 */
const shortestPeriod = (leaves: readonly Leaf[]): number | null =>
  leaves.reduce<number | null>(
    (shortest, { metric, value }) =>
      metric !== 'period' || !isPeriod(value) || (shortest !== null && shortest <= value) ? shortest : value,
    null,
  );

/** The name of the chip, and the memory of each core, from the report. */
function statedDevice(leaves: readonly Leaf[]): Partial<Pick<Device, 'name' | 'memBytes'>> {
  const type = textOf(leaves, 'neuron_device_type');
  const bytes = numberOf(leaves, 'neuron_device_memory_size') ?? 0;
  const cores = numberOf(leaves, 'neuroncore_per_device_count') ?? 0;
  return {
    ...(type === null ? undefined : { name: `${type.charAt(0).toUpperCase()}${type.slice(1)}` }),
    ...(bytes > 0 && cores > 0 ? { memBytes: Math.floor(bytes / cores) } : undefined),
  };
}

/** A larger count is damaged, because no instance has as many. */
const MOST_CORES = 4096;

interface StreamName {
  readonly profile: number;
  readonly format: string;
  /** Name of the input, for messages. */
  readonly input: string;
  /** Base name of the input. */
  readonly file: string;
  readonly rank: number | null;
}

function streamHeader(name: StreamName, leaves: readonly Leaf[], startUnixNs: bigint | null): ProfileRecord {
  const instanceType = textOf(leaves, 'instance_type');
  const version = textOf(leaves, 'neuroncore_version');
  const core = coreOfInstance(instanceType) ?? coreOfArch(version === null ? null : `nc-${version}`);
  const cores = coresOf(leaves);
  const facts = knownFacts({ instanceType, cores: cores.length === 0 ? null : cores.length });
  const stated = statedDevice(leaves);
  const devices = cores.map((id) => ({ ...neuronDevice(id, core), ...stated }));
  return profileRecord(name.format, name, { tool: null, dur: null, devices, facts }, startUnixNs?.toString() ?? null);
}

/** All cores of the instance if the report states their number, and the cores in use. */
function coresOf(leaves: readonly Leaf[]): number[] {
  const devices = numberOf(leaves, 'neuron_device_count');
  const coresPerDevice = numberOf(leaves, 'neuroncore_per_device_count');
  const isCount = [devices, coresPerDevice].every(
    (amount) => amount !== null && Number.isInteger(amount) && amount >= 0,
  );
  const count = isCount ? (devices ?? 0) * (coresPerDevice ?? 0) : 0;
  const counted = count <= MOST_CORES ? count : 0;
  const inUse = leaves.flatMap(({ labels: { core } }) =>
    typeof core === 'number' && core >= 0 && core < MOST_CORES ? [core] : [],
  );
  return [...new Set([...Array(counted).keys(), ...inUse])].sort((a, b) => a - b);
}

const find = (leaves: readonly Leaf[], metric: string): Leaf | undefined =>
  leaves.find((leaf) => leaf.metric === metric);

const numberOf = (leaves: readonly Leaf[], metric: string): number | null => find(leaves, metric)?.value ?? null;

function textOf(leaves: readonly Leaf[], metric: string): string | null {
  const text = find(leaves, metric)?.text;
  return text === undefined || text === '' ? null : text;
}
