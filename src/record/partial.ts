/**
 * Partial answers: a record stream in which the activities of a profile are replaced by their totals. A `partial` line
 * states how many members follow. A member is the profile line of one profile with a field `part`, lines of the types
 * below, and the `end` line.
 */

/**
 * Version of the format of partial answers. It also changes when the definition of a figure changes, because figures of
 * two definitions cannot be added. In version 1, communication during copies was not exposed.
 */
export const PART_VERSION = 2;

/** The first line of a file of partial answers. */
export interface PartialRecord {
  readonly type: 'partial';
  readonly v: number;
  /** Number of members that follow, up to the next line of this type. */
  readonly members: number;
}

/** Field `part` of a member's profile line. */
export interface PartIdentity {
  readonly v: number;
  /** SHA-256 of the member's content, as 64 hexadecimal digits. */
  readonly id: string;
}

/** Line types, by the commands that need them: `dprof summary`, its JSON, `steps`, `--by` and `diff`, `ranks`. */
export const PART_TYPES = ['part-summary', 'part-details', 'part-steps', 'part-kernels', 'part-ranks'] as const;
/** Type of a line of a member. */
export type PartType = (typeof PART_TYPES)[number];

/**
 * A line of a member. Code that reads a type knows the structure of its `data`, and the member's id guarantees the
 * content.
 */
export interface PartRecord {
  readonly type: PartType;
  readonly profile: number;
  readonly data: unknown;
}
