/**
 * Records of one profile → the lines of its member of a partial answer: what each command that takes partial answers
 * needs of it. Memory: that of these commands together, for one profile.
 */
import { jsonOf } from '../../record/control-characters.js';
import { UserError } from '../../record/errors.js';
import type { PartRecord, PartType } from '../../record/partial.js';
import type { EndRecord, ProfileLine, ProfileRecord } from '../../record/record.js';
import type { Item } from '../analysis.js';
import { Annotated } from '../annotate.js';
import type { KernelColumn } from '../columns/kernel-column.js';
import type { RecordTypes } from '../input/record-types.js';
import { RANK_TYPES, RankCollector } from '../ranks/part/rank-collector.js';
import { Annotator } from '../report/report.js';
import type { Peaks } from '../roofline/peaks.js';
import { Steps } from '../steps/steps.js';
import type { StepsPart } from '../steps/steps-part.js';
import { SummaryDetails } from '../summary/details.js';
import { ProfileSummaries, SUMMARY_TYPES } from '../summary/summaries.js';
import { PART_NAMES, summaryPartOf } from '../summary/summary-part.js';
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
