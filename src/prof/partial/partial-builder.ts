/** Records of any number of profiles, one profile after the other → members of a partial answer, each when it ends. */
import { UserError } from '../../record/errors.js';
import type { ProfileLine, ProfileRecord } from '../../record/record.js';
import { METRICS_ONLY, noProfile } from '../analysis.js';
import { MemberBuilder, type MemberOptions } from './member-builder.js';

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
