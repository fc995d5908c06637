/** What host calls are by the names of their functions: a name is looked up and read once, however often it is called. */
import { entryOf } from '../../../containers/map-entry.js';
import type { Trace } from '../trace.js';

/** @param read what a function of this name is; '' for one without a name */
export function byCallName<Kind extends string | boolean | null>(
  { hostCalls, names }: Pick<Trace, 'hostCalls' | 'names'>,
  read: (name: string) => Kind,
): (call: number) => Kind {
  const known = new Map<number, Kind>();
  return (call) => entryOf(known, hostCalls.api.at(call), (api) => read(names.apiName(api) ?? ''));
}
