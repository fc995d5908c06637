import { UserError } from '../../record/errors.js';

/** An input that is or may be a profile, and cannot be read: locked, damaged, cut off, without permission, no room. */
export class UnreadableInput extends UserError {}

/** An input that another file of its folder covers. */
export class RedundantInput extends UserError {}
