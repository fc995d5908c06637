/**
 * Rules of Perfetto's trace processor for what a trace says, beyond how its packets are put together: it drops, cuts or
 * counts as an error what breaks one, or takes it for another process.
 *
 * Source: src/trace_processor/importers of Perfetto's repository: proto_trace_reader, track_event_tokenizer,
 * track_event_tracker, slice_tracker, process_tracker and debug_annotation_parser; where versions differ, the stricter one.
 */
import type { Packet, Shown } from './perfetto-trace.js';

const BOOTTIME = 6;
const LATEST = 2n ** 63n;
/** Slices within each other; 255 in older versions, more in later ones. Marks of one time and track are within each other. */
const MOST_DEPTH = 255;

type Check = (packets: readonly Packet[]) => string[];

/** The number of a string is never used again for another. */
const overridden: Check = (packets) => {
  const known = new Map<string, string>();
  return packets.flatMap(({ internedData = {} }) =>
    Object.entries(internedData).flatMap(([kind, entries]) =>
      entries.flatMap(({ iid, name, str }) => {
        const [key, text] = [`${kind} ${iid}`, name ?? Buffer.from(str ?? []).toString()];
        const isNew = (known.get(key) ?? text) === text && iid !== '0';
        known.set(key, text);
        return isNew ? [] : [`${key} is two texts, or 0`];
      }),
    ),
  );
};

/** One snapshot, before all times, which would be of another clock otherwise. */
const unclocked: Check = (packets) => {
  const first = packets.findIndex(({ trackEvent }) => trackEvent !== undefined);
  return packets.flatMap(({ clockSnapshot }, at) => {
    if (clockSnapshot === undefined) return [];
    const ids = clockSnapshot.clocks.map(({ clockId }) => clockId);
    const isRight = (first < 0 || at < first) && new Set(ids).size === ids.length && ids.includes(BOOTTIME);
    return isRight ? [] : ['a snapshot of clocks after events, of one clock twice, or without the time since boot'];
  });
};

/** Processes and threads have numbers of their own: 0 is reserved, and one that is used again is another process. */
const misnumbered: Check = (packets) => {
  const processes = new Map<string, number>();
  const seen = new Set<string>();
  return packets.flatMap(({ trackDescriptor: track }) => {
    if (track === undefined) return [];
    const { uuid, process, thread, parentUuid = '0', name } = track;
    if (process !== undefined) processes.set(uuid, process.pid);
    const own = process !== undefined ? [process.pid] : thread !== undefined ? [thread.pid, thread.tid] : [];
    const broken = [
      ...(own.some((number) => number <= 0) ? ['a pid or tid that is reserved'] : []),
      ...(own.length > 0 && seen.has(own.join('/')) ? [`pid or tid ${own.join('/')} twice`] : []),
      ...(thread !== undefined && processes.get(parentUuid) !== thread.pid ? ['a thread of another process'] : []),
      ...((name ?? thread?.threadName ?? process?.processName ?? '') === '' ? ['a track without a name'] : []),
    ];
    seen.add(own.join('/'));
    return broken;
  });
};

/** Times, places, categories and values of events. */
const misplaced: Check = (packets) => {
  const processes = new Set(packets.flatMap(({ trackDescriptor: track }) => (track?.process ? [track.uuid] : [])));
  return packets.flatMap(({ trackEvent: event, timestamp = '0' }) => {
    if (event === undefined) return [];
    const isCounter = event.type === 4;
    const values = [event.counterValue, event.doubleCounterValue].filter((value) => value !== undefined);
    return [
      ...(BigInt(timestamp) >= LATEST ? ['a negative time'] : []),
      ...(processes.has(event.trackUuid) ? ["an event on a process's own track"] : []),
      ...((event.type === 1 || event.type === 3) && event.categoryIids?.length !== 1 ? ['not one category'] : []),
      ...(values.length === (isCounter ? 1 : 0) ? [] : ['not one value']),
    ];
  });
};

const CHECKS = [overridden, unclocked, misnumbered, misplaced];

/** Names of arguments lose characters that mean nesting; equal names are one argument. */
const sameNames = (events: readonly Shown[]): string[] =>
  events.flatMap(({ args }) => {
    const names = Object.keys(args).map((name) => name.replace(/[.[\]]/g, '_'));
    return new Set(names).size === names.length ? [] : [`arguments of one name: ${names.join()}`];
  });

/** Tracks of one name and parent are one: their marks are within each other too. */
function tooDeep(events: readonly Shown[]): string[] {
  const marks = new Map<string, number>();
  return events.flatMap(({ isMark, track, start, depth }) => {
    const key = `${track.path} ${start}`;
    const within = isMark ? (marks.get(key) ?? 0) : 0;
    if (isMark) marks.set(key, within + 1);
    return depth + within < MOST_DEPTH ? [] : ['too deep'];
  });
}

/** @throws Error for what Perfetto would drop, cut or report */
export function expectRules(packets: readonly Packet[], events: readonly Shown[]): void {
  const broken = [...CHECKS.flatMap((check) => check(packets)), ...sameNames(events), ...tooDeep(events)];
  if (broken.length > 0) throw new Error(`${broken.length} that break rules: ${broken.slice(0, 3).join('; ')}`);
}
