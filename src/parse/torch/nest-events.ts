/** How the host events of a profile nest; events of the same times are in order of op and name. */
import type { Diagnostics } from '../../record/diagnostics.js';
import type { HostCalls } from '../capture/capture-columns.js';
import { compareTexts } from '../capture/ranges.js';
import type { HostEvents } from './host-events.js';
import { nest, type Nesting } from './nesting.js';

/**
 * @param threads number of threads
 * @param slack how much later than its parent an event may end, in ns
 * @param orderOf key by which ops of the same times are ordered; their external ids by default
 */
export function nestEvents(
  events: HostEvents,
  hostCalls: HostCalls,
  threads: number,
  slack: number,
  diagnostics: Diagnostics,
  orderOf = (op: number): number => events.ops.externalId.at(op),
): Nesting {
  const nameOf = (range: number): string => events.nameText(events.ranges.text.at(range));
  const compareTies = (a: number, b: number): number => {
    const [opA, opB] = [events.opOf(a), events.opOf(b)];
    const byOp = opA === -1 || opB === -1 ? opA - opB : orderOf(opA) - orderOf(opB);
    return byOp || compareTexts(nameOf(a), nameOf(b));
  };
  const isFrame = (range: number): boolean => events.isFrame(range);
  const nesting = nest(events.ranges, hostCalls, threads, { compareTies, slack, isFrame });
  diagnostics.count('range-not-nested', nesting.unnested);
  return nesting;
}
