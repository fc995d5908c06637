import { isSystemError, systemReason, UserError } from '../../record/errors.js';

/** An input that is or may be a profile, and cannot be read: locked, damaged, cut off, without permission, no room. */
export class UnreadableInput extends UserError {}

/** An input that another file of its folder covers. */
export class RedundantInput extends UserError {}

/** What the system refuses as an error of the input. @throws any other error, which is a defect */
export function asUserError(error: unknown, where: string): UserError {
  if (error instanceof UserError) return error;
  if (!isSystemError(error)) throw error;
  return new UnreadableInput(`cannot be read: ${systemReason(error)}`, { where });
}
