/**
 * Records of one profile → the lines of its member of a partial answer: what each command that takes partial answers
 * needs of it. Memory: that of these commands together, for one profile.
 */
import { jsonOf } from '../../record/control-characters.js';
import { UserError } from '../../record/errors.js';
import type { PartRecord, PartType } from '../../record/partial.js';
import type { EndRecord, ProfileLine, ProfileRecord } from '../../record/record.js';
import { type Item, METRICS_ONLY, noProfile } from '../analysis.js';
import { Annotated, type KernelColumn } from '../annotate.js';
import type { RecordTypes } from '../input/record-types.js';
import { RANK_TYPES, RankCollector } from '../ranks/part/rank-collector.js';
import { Annotator } from '../report/report.js';
import type { Peaks } from '../roofline/peaks.js';
import { Steps, type StepsPart } from '../steps/steps.js';
import { SummaryDetails } from '../summary/details.js';
import { ProfileSummaries, SUMMARY_TYPES, PART_NAMES, summaryPartOf } from '../summary/summaries.js';
import { KernelPartBuilder } from './kernels/kernel-part-builder.js';
import { memberLines } from './member-text.js';

/** Types of the records that a member is made of; none of a partial answer. */
export const MEMBER_TYPES: RecordTypes = new Set(
  [...SUMMARY_TYPES, ...RANK_TYPES].filter((type) => !type.startsWith('part-')),
);

export interface MemberOptions {
  /** Columns that kernels may be grouped by. */
  readonly by: readonly KernelColumn[];
  /** Peak rates for every device; null for their own. */
  readonly device: Peaks | null;
}

export class MemberBuilder {
  readonly #summaries = new ProfileSummaries(PART_NAMES);
  readonly #details = new SummaryDetails();
  readonly #steps = new Steps();
  readonly #ranks = new RankCollector();
  readonly #kernels: KernelPartBuilder;
  readonly #annotator: Annotator;
  #tooManySteps: string | null = null;

  constructor(
    private readonly header: ProfileRecord,
    options: MemberOptions,
  ) {
    this.#kernels = new KernelPartBuilder(options.by);
    this.#annotator = new Annotator(options.device);
    this.take(header);
  }

  take(record: ProfileLine): void {
    this.#annotator.pass(record, this.#takeItem);
  }

  readonly #takeItem = (item: Item): void => {
    this.#summaries.take(item);
    this.#details.take(item);
    this.#ranks.take(item);
    if (item instanceof Annotated) this.#kernels.add(item);
    else this.#takeSteps(item);
  };

  #takeSteps(record: ProfileLine): void {
    if (this.#tooManySteps !== null) return;
    try {
      this.#steps.take(record);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#tooManySteps = error.what;
    }
  }

  /** @param end null for records that are cut off before it */
  finish(end: EndRecord | null): string[] {
    if (end !== null) this.take(end);
    this.#annotator.passRest(this.#takeItem);
    const { incomplete, evicted } = this.#annotator;
    const steps: StepsPart = this.#tooManySteps === null ? this.#steps.part : { tooMany: this.#tooManySteps };
    const data: readonly (readonly [PartType, unknown])[] = [
      ...this.#summaries.all.map((summary) => ['part-summary', summaryPartOf(summary)] as const),
      ['part-details', this.#details.of(this.header.profile)],
      ['part-steps', steps],
      ['part-kernels', this.#kernels.result({ evicted, incomplete })],
      ['part-ranks', this.#ranks.parts],
    ];
    const cut: EndRecord = { type: 'end', profile: 0, counts: {}, diagnostics: { 'truncated-input': 1 } };
    const parts = data.map(([type, of]): PartRecord => ({ type, profile: 0, data: of }));
    const { type, v, profile, ...fields } = this.header;
    return memberLines(
      jsonOf({ type, v, profile, ...fields }),
      [...parts, { ...(end ?? cut), profile: 0 }].map((line) => jsonOf(inOrder(line))),
    );
  }
}

/** The line with its type and its profile first, as the text of a member has it. */
const inOrder = ({ type, profile, ...fields }: PartRecord | EndRecord): object => ({ type, profile, ...fields });

/** Records of any number of profiles, one profile after the other → members of a partial answer, each when it ends. */
export class PartialBuilder {
  readonly #open = new Map<number, MemberBuilder>();

  /** @param onMember takes the lines of each member */
  constructor(
    private readonly options: MemberOptions,
    private readonly onMember: (lines: readonly string[]) => void,
  ) {}

  /** @throws UserError for a profile of which there is nothing to add up, and for records without their profile line */
  take(record: ProfileLine): void {
    if (record.type === 'profile') {
      checkFormat(record);
      this.#open.set(record.profile, new MemberBuilder(record, this.options));
      return;
    }
    const member = this.#open.get(record.profile);
    if (member === undefined) {
      throw new UserError('records without a profile line', {
        hint: 'run dparse, or dprof partial, on the profile itself',
      });
    }
    if (record.type !== 'end') member.take(record);
    else {
      this.#open.delete(record.profile);
      this.onMember(member.finish(record));
    }
  }

  /** To be called when the records end: profiles without an end are cut off. */
  end(): void {
    for (const member of this.#open.values()) this.onMember(member.finish(null));
    this.#open.clear();
  }
}

function checkFormat({ format }: ProfileRecord): void {
  if (format === 'neuron-monitor') throw noProfile();
  if (!METRICS_ONLY.has(format)) return;
  throw new UserError('has nothing but metrics of the vendor', { hint: 'dprof summary --vendor-metrics' });
}
