/** What a marker or overhead is of: CUpti_ActivityObjectKind, and the ids that go with it. */

/** The object id holds a process; a process and a thread. */
export const OBJECT = { process: 1, thread: 2 } as const;

/**
 * Process and thread of an object id, in hexadecimal: 4 bytes process, 8 bytes thread, little-endian. Only the first 4
 * bytes of the thread are used, as in the tables of calls.
 */
export function readObjectId(hex: string): [pid: number, tid: number] {
  const bytes = Buffer.from(hex, 'hex');
  return bytes.length < 8 ? [0, 0] : [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
}
