/**
 * Turns the records of one profile into the lines of its member in a partial answer, with the data that each command
 * that takes partial answers needs. Memory: the sum of what all these commands need for one profile.
 */
import { jsonOf } from '../../record/control-characters.js';
import { UserError } from '../../record/errors.js';
import { PART_VERSION, type PartRecord, type PartType, type PartialRecord } from '../../record/partial.js';
import type { EndRecord, ProfileLine, ProfileRecord } from '../../record/record.js';
import { type Item, METRICS_ONLY, noProfile, type RecordTypes } from '../analysis.js';
import { Annotated, type KernelColumn } from '../annotate.js';
import { RANK_TYPES, RankCollector } from '../ranks/part/rank-collector.js';
import { Annotator } from '../report/report.js';
import type { Peaks } from '../roofline/peaks.js';
import { Steps, type StepsPart } from '../steps/steps.js';
import { SummaryDetails } from '../summary/details.js';
import { ProfileSummaries, SUMMARY_TYPES, PART_NAMES, summaryPartOf } from '../summary/summaries.js';
import { KernelPartBuilder } from './kernels/kernel-part-builder.js';
import { createHash } from 'node:crypto';

const HEAD = /^\{"type":"profile","v":(\d+),"profile":\d+,"part":\{"v":(\d+),"id":"([\da-f]{64})"\},/;
/** Matches any other line, up to the number of its profile. */
const LINE = /^(\{"type":"(part-[a-z]+|end)","profile":)\d+/;

/** The fields of a member's first line before the profile itself. */
export interface MemberHead {
  /** Version of the partial-answer format. */
  readonly version: number;
  readonly id: string;
  /** The rest of the line, with the fields of the profile. */
  readonly fields: string;
}

/** Null for any other line. */
export function memberHeadOf(text: string): MemberHead | null {
  const [all, , version, id] = HEAD.exec(text) ?? [];
  if (all === undefined || id === undefined) return null;
  return { version: Number(version), id, fields: text.slice(all.length) };
}

/** The line with another profile number. A line outside any member is unchanged. */
function numbered(text: string, profile: number): string {
  if (!text.startsWith('{"type":"profile"')) return text.replace(LINE, `$1${profile}`);
  return text.replace(/,"profile":\d+/, `,"profile":${profile}`);
}

/** Type of a line of a member after the first; null for a line outside any member. */
export const memberLineType = (text: string): string | null => LINE.exec(text)?.[2] ?? null;

/** Computes the id of a member from its lines in order. */
export class MemberHash {
  readonly #hash = createHash('sha256');

  /** @param fields the fields of the profile line; see `MemberHead` */
  constructor(version: number, fields: string) {
    this.#hash.update(`${version}\n${fields}\n`);
  }

  add(line: string): void {
    this.#hash.update(numbered(line, 0));
    this.#hash.update('\n');
  }

  /** Can be read only once. */
  get id(): string {
    return this.#hash.digest('hex');
  }
}

/**
 * The lines of a member, with the number 0 and with the id in the first line.
 * @param profile line of the profile, as JSON
 * @param lines all others, the `end` line last
 */
export function memberLines(profile: string, lines: readonly string[]): string[] {
  const [before] = /^\{"type":"profile","v":\d+,"profile":\d+,/.exec(profile) ?? [];
  if (before === undefined) throw new TypeError('no profile line');
  const fields = profile.slice(before.length);
  const hash = new MemberHash(PART_VERSION, fields);
  for (const line of lines) hash.add(line);
  const part = JSON.stringify({ v: PART_VERSION, id: hash.id });
  return [`${numbered(before, 0)}"part":${part},${fields}`, ...lines.map((line) => numbered(line, 0))];
}

/**
 * Determines the order of members in a file of partial answers, independent of the order in which they came: by rank, then
 * by file, then by id.
 */
export interface MemberKey {
  /** Unknown ranks come last. */
  readonly rank: number | null;
  readonly file: string;
  readonly id: string;
}

/** @param head first line of the member */
export function memberKey(head: string, id: string): MemberKey {
  const { rank, file } = JSON.parse(head) as ProfileRecord;
  return { rank, file, id };
}

/**
 * The text of a member of a partial answer: its lines, and its id, which is the SHA-256 of these lines without the profile
 * number and without the id itself. Numbers change when members are merged; ids do not.
 */
export function byMemberKey(a: MemberKey, b: MemberKey): number {
  const [x, y] = [a.rank ?? Infinity, b.rank ?? Infinity];
  if (x !== y) return x < y ? -1 : 1;
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

/** The first line of a file with that many members, including the line feed. */
export function partialLine(members: number): string {
  const record: PartialRecord = { type: 'partial', v: PART_VERSION, members };
  return `${JSON.stringify(record)}\n`;
}

/**
 * The lines of a member as they are in a file, including line feeds.
 * @param profile its index in the file
 */
export const memberText = (lines: readonly string[], profile: number): string =>
  lines.map((line) => `${numbered(line, profile)}\n`).join('');

/** Types of the records from which a member is made. They do not include types of partial answers. */
export const MEMBER_TYPES: RecordTypes = new Set(
  [...SUMMARY_TYPES, ...RANK_TYPES].filter((type) => !type.startsWith('part-')),
);

export interface MemberOptions {
  /** Columns by which kernels may be grouped. */
  readonly by: readonly KernelColumn[];
  /** Peak rates for every device; null for the device's own. */
  readonly device: Peaks | null;
}

class MemberBuilder {
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

  /** @param end null for records that are truncated before it */
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
    const parts = data.map(([type, content]): PartRecord => ({ type, profile: 0, data: content }));
    const { type, v, profile, ...fields } = this.header;
    return memberLines(
      jsonOf({ type, v, profile, ...fields }),
      [...parts, { ...(end ?? cut), profile: 0 }].map((line) => jsonOf(inOrder(line))),
    );
  }
}

/** The line with type and profile as the first fields, as in the text of a member. */
const inOrder = ({ type, profile, ...fields }: PartRecord | EndRecord): object => ({ type, profile, ...fields });

/**
 * Turns records of any number of profiles, one profile after the other, into members of a partial answer, each when it
 * ends.
 */
export class PartialBuilder {
  readonly #open = new Map<number, MemberBuilder>();

  /** @param onMember receives the lines of each member */
  constructor(
    private readonly options: MemberOptions,
    private readonly onMember: (lines: readonly string[]) => void,
  ) {}

  /** @throws UserError for a profile with nothing to add up, and for records without their profile line */
  take(record: ProfileLine): void {
    if (record.type === 'profile') {
      checkFormat(record);
      this.#open.set(record.profile, new MemberBuilder(record, this.options));
      return;
    }
    const member = this.#open.get(record.profile);
    if (member === undefined) {
      throw new UserError('records without a profile line', {
        hint: 'run dparse or dprof partial on the original profile',
      });
    }
    if (record.type !== 'end') member.take(record);
    else {
      this.#open.delete(record.profile);
      this.onMember(member.finish(record));
    }
  }

  /** Must be called after the last record: profiles without an end are truncated. */
  end(): void {
    for (const member of this.#open.values()) this.onMember(member.finish(null));
    this.#open.clear();
  }
}

function checkFormat({ format }: ProfileRecord): void {
  if (format === 'neuron-monitor') throw noProfile();
  if (!METRICS_ONLY.has(format)) return;
  throw new UserError('has only vendor metrics', { hint: 'dprof summary --vendor-metrics' });
}
