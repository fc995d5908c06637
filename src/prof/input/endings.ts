/** How inputs ended: what is said of those that are cut off, left out or without an end. */
import { UserError } from '../../record/errors.js';
import { WAS_READ, type StreamStatus } from './stream-status.js';

/** Inputs that were read. */
export interface EndedInputs {
  /** For messages. */
  readonly name: string;
  /** How they ended, those that were opened so far. */
  readonly endings: readonly StreamStatus[];
}

/** The first of the inputs' ends that is missing within a line, or in compressed data; null when there is none. */
export const cutOf = ({ endings }: Pick<EndedInputs, 'endings'>): StreamStatus['cut'] =>
  endings.find(({ cut }) => cut !== null)?.cut ?? null;

/** How inputs ended: what is left out of them, profiles without an end, which may be meant, and what makes a run fail. */
export function endingsOf({ endings }: Pick<EndedInputs, 'endings'>): {
  readonly notes: UserError[];
  readonly unended: UserError[];
  readonly errors: UserError[];
} {
  const notes = endings.flatMap(({ name, notes: texts }) => texts.map((text) => new UserError(text, { where: name })));
  const unended = endings.flatMap(({ name, cut, unfinished }) =>
    cut === null && unfinished > 0 ? [withoutEnd(name, unfinished)] : [],
  );
  const errors = endings.flatMap(({ cut, failure }) => [
    ...(cut === null ? [] : [new UserError(`${cut.what}; ${WAS_READ}`, cut.detail)]),
    ...(failure === null ? [] : [failure]),
  ]);
  return { notes, unended, errors };
}

function withoutEnd(name: string, profiles: number): UserError {
  const which = profiles === 1 ? 'a profile has no end' : `${profiles} profiles have no end`;
  return new UserError(`${which}: are the records cut off? what is there was read`, { where: name });
}

/** An error about the whole of an input, which may be due to its being cut off: then that is said first. */
export function withCut(error: unknown, source: EndedInputs): unknown {
  const cut = cutOf(source);
  if (cut === null || !(error instanceof UserError) || error.what.startsWith(cut.what)) return error;
  const { where = source.name } = error.detail;
  const cutWhere = cut.detail.where ?? source.name;
  // The error of one of several inputs is not due to the cut of another.
  if (where !== source.name && !where.startsWith(cutWhere)) return error;
  return new UserError(`${cut.what}; ${error.what}`, { where: cutWhere });
}
