/** Arguments of Python functions by name. */
import type { Arg, OpCall } from '../../record/record.js';
import { argument } from '../call.js';

/**
 * The arguments of a call by the names of the function's parameters.
 * @param order the names in the function's order, separated by blanks
 * @returns an argument by its name, whether given by keyword or by position; undefined where it is not given
 */
export function pythonArguments(call: OpCall, order: string): (name: string) => Arg | undefined {
  const names = order.split(' ');
  return (name) => {
    const position = names.indexOf(name);
    return argument(call, name, position < 0 ? Infinity : position);
  };
}
