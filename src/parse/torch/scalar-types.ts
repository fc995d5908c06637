/** Types of arguments that are not tensors, as traces spell them; element types of tensors: record/element-types.ts. */

/** Types of arguments that are neither tensors nor lists: `Int`, `Bool` and `Double` before 2022, `Scalar` since. */
const PLAIN_TYPES = new Set(['Scalar', 'Int', 'Bool', 'Double', 'String', 'Device', 'Generator', 'Layout', 'Stream']);
const LIST_TYPES = new Set(['ScalarList', 'GenericList', 'IntList', 'DoubleList', 'BoolList']);

/** Whether a type is that of a number, text, device or the like. */
export const isPlainType = (text: string): boolean => PLAIN_TYPES.has(text);
/** Whether a type is that of a list other than of tensors. */
export const isListType = (text: string): boolean => LIST_TYPES.has(text);
