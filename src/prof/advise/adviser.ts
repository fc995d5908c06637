/** Records and their rows → findings: what is worth doing. One pass; memory: what the rules keep, which is bounded. */
import { append, largest } from '../../containers/lists.js';
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import { withoutDevice, countNotes, withoutTimes, type Analysis, type Answer } from '../analysis.js';
import type { Annotated } from '../annotate.js';
import { isOfNeuronDevice } from '../neuron/machine.js';
import { ProfileSums } from '../neuron/metric-sums.js';
import type { RecordTypes } from '../input/records.js';
import { missingWorkOf, MissingTimes } from '../steps/missing-work.js';
import { ByDevice } from './by-device.js';
import { DeviceTimes, type Gap } from './device-times.js';
import type { Finding, Silence } from './finding.js';
import { HostGaps } from './host-gaps.js';
import { FINDING_COLUMNS, type FindingRow } from './finding-columns.js';
import type { Rule, RuleAnswer } from './rule.js';
import { RULES } from './rules.js';
import { percent } from './amount-text.js';

export const ADVICE_TYPES: RecordTypes = new Set([
  ...(['profile', 'kernel', 'copy', 'set', 'graph', 'collective'] as const),
  ...(['range', 'sample', 'tensor', 'notice', 'end'] as const),
]);

/** Below it a finding is not worth the reader's time: as much is lost in the spread from run to run. */
export const MIN_SHARE = 0.01;

export interface AdviserOptions {
  readonly rules?: readonly Rule[];
  /**
   * Share of the device's time, from its first work to its last, that may be gained at least; that the finding is about,
   * where the gain is not known.
   */
  readonly minShare?: number;
  /** Findings in the table. */
  readonly top?: number;
}

type RankedFinding = Pick<Finding, 'profile' | 'device' | 'stake' | 'gain'>;

export class Adviser implements Analysis<Adviser> {
  readonly types = ADVICE_TYPES;
  readonly ranges = 'without-calls';
  readonly #minShare: number;
  readonly #top: number;
  readonly #watches;
  readonly #devices = new DeviceTimes();
  readonly #host = new HostGaps();
  /** By device, ns. */
  readonly #missing = new ByDevice(() => new MissingTimes());
  readonly profiles = new Map<number, ProfileRecord>();
  readonly #neuron = new Map<number, ProfileSums>();
  #outcome: { readonly findings: Finding[]; readonly silences: Silence[] } | null = null;
  kernels = 0;

  constructor({ rules = RULES, minShare = MIN_SHARE, top = Infinity }: AdviserOptions = {}) {
    this.#minShare = minShare;
    this.#top = top;
    this.#watches = rules.map((rule) => ({ rule, watch: rule.watch() }));
  }

  /** @param rows what the `Annotator` of `report.ts` made ready of the record */
  take(record: ProfileLine, rows: readonly Annotated[]): void {
    if (record.type === 'kernel') this.kernels++;
    if (record.type === 'profile') {
      this.profiles.set(record.profile, record);
      if (isOfNeuronDevice(record)) this.#neuron.set(record.profile, new ProfileSums());
    }
    if (record.type === 'end') return;
    const missing = missingWorkOf(record);
    if (missing !== null) this.#missing.of({ ...missing, profile: record.profile }).add(missing);
    const gap = this.#devices.take(record);
    // A gap in which work is missing is none of the host's.
    if (gap !== null && !this.#isMissingIn(gap)) this.#host.gap(gap);
    this.#host.take(record);
    if (this.#neuron.size > 0) this.#neuron.get(record.profile)?.take(record);
    for (const { watch } of this.#watches) watch.take?.(record);
    if (rows.length > 0) this.addKernels(rows);
  }

  addKernels(rows: readonly Annotated[]): void {
    for (const row of rows) for (const { watch } of this.#watches) watch.row?.(row);
  }

  /** @throws UserError without any work that has a time */
  finish(rows: readonly Annotated[]): Answer<Adviser> {
    this.addKernels(rows);
    if (this.kernels + this.activities === 0) throw withoutDevice();
    if (this.activities === 0) throw withoutTimes();
    const findings = this.findings
      .slice(0, this.#top)
      .map((finding): FindingRow => ({ finding, share: this.shareOf(finding) }));
    const notes = countNotes(
      [this.#devices.untimed, 'record', ' without a time left out of idle and busy times'],
      [this.disordered, 'record', ' not in order of start: idle and busy times are wrong'],
      [this.#missingLaunches, 'graph launch', ' without work in the profile: idle time around them is left out'],
    );
    return { table: { columns: FINDING_COLUMNS, rows: findings }, facts: this, notes };
  }

  #isMissingIn({ profile, device, start, end }: Gap): boolean {
    return (this.#missing.get(profile, device)?.take(start, end) ?? null) !== null;
  }

  get #missingLaunches(): number {
    return this.#missing.all.reduce((sum, { of }) => sum + of.launches, 0);
  }

  /** Work with a time, and without one. */
  get activities(): number {
    return this.#devices.all.reduce((sum, { of }) => sum + of.activities, 0);
  }
  get disordered(): number {
    return this.#devices.all.reduce((sum, { of }) => sum + of.disordered, 0);
  }

  /** What may be gained most first, then those of unknown gain, by what is at stake. */
  get findings(): Finding[] {
    return this.#end().findings;
  }

  /** In the order of the rules. */
  get silences(): Silence[] {
    return this.#end().silences;
  }

  /** A share of the time of the finding's device. */
  shareOf({ profile, device, stake }: Pick<Finding, 'profile' | 'device' | 'stake'>): number {
    const span = this.#devices.span(profile, device);
    return span > 0 ? stake / span : 0;
  }

  #end() {
    if (this.#outcome !== null) return this.#outcome;
    const facts = { devices: this.#devices, host: this.#host, profiles: this.profiles, neuron: this.#neuron };
    const findings: Finding[] = [];
    const silences: Silence[] = [];
    for (const { rule, watch } of this.#watches) {
      const answer = watch.end(facts);
      const said = answer.found.filter((finding) => this.#worth(finding) >= this.#minShare);
      append(
        findings,
        said.map((finding) => ({ rule: rule.name, ...finding })),
      );
      if (said.length === 0) silences.push({ rule: rule.name, why: this.#whyNot(answer) });
    }
    return (this.#outcome = { findings: findings.sort(inOrder), silences });
  }

  /** Share of the device's time that may be gained, or that is at stake where the gain is not known. */
  #worth({ gain, stake, ...place }: RankedFinding): number {
    return this.shareOf({ ...place, stake: gain?.ns ?? stake });
  }

  #whyNot({ found, why }: RuleAnswer): string {
    if (found.length === 0) return why ?? 'nothing';
    const most = largest(found.map((finding) => this.#worth(finding)));
    return `below ${percent(this.#minShare)} of the device's time: ${percent(most)} at most`;
  }
}

const inOrder = (a: Finding, b: Finding): number =>
  Number(a.gain === null) - Number(b.gain === null) ||
  (b.gain?.ns ?? 0) - (a.gain?.ns ?? 0) ||
  b.stake - a.stake ||
  a.profile - b.profile ||
  (a.device ?? -1) - (b.device ?? -1);
