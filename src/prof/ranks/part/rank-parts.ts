/** The parts of all ranks, from records of profiles and from partial answers. */
import { append } from '../../../containers/element.js';
import type { Item, RecordTypes } from '../../analysis.js';
import { Annotated } from '../../annotate.js';
import { RANK_TYPES, RankCollector } from './rank-collector.js';
import type { ProfileWithoutWork, RankPart } from './rank-part.js';

/** Types of records and of partial answers. */
export const RANK_AND_PART_TYPES: RecordTypes = new Set([...RANK_TYPES, 'part-ranks' as const]);

export class RankParts {
  readonly #collector = new RankCollector();
  readonly #given: RankPart[] = [];
  /** Numbers of the profiles with a part from a partial answer. */
  readonly #givenOf = new Set<number>();

  /** @param isJob whether there may be records of several ranks; otherwise only partial answers count */
  constructor(private readonly isJob = true) {}

  take(record: Item): void {
    if (record instanceof Annotated) {
      if (this.isJob) this.#collector.take(record);
    } else if (record.type === 'part-ranks') this.#addGiven(record.profile, record.data as readonly RankPart[]);
    // A partial answer contains the header, the part and the end of a profile.
    else if (!this.isJob && record.type !== 'profile' && record.type !== 'end') return;
    else if (RANK_TYPES.has(record.type)) this.#collector.take(record);
  }

  /** Call when all records were taken. */
  get all(): RankPart[] {
    return [...this.#collector.parts, ...this.#given];
  }

  /** Profiles in which no device worked. */
  get withoutWork(): ProfileWithoutWork[] {
    return this.#collector.withoutWork.filter(({ profile }) => !this.#givenOf.has(profile));
  }

  #addGiven(profile: number, parts: readonly RankPart[]): void {
    if (parts.length > 0) this.#givenOf.add(profile);
    append(this.#given, parts);
  }
}
