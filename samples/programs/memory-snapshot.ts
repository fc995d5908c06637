/**
 * A snapshot of PyTorch's caching allocator in the published shape: weights from before the history, two activations, a
 * state of the optimizer and a buffer that are never released. Its pickle has the opcodes of Python's protocol 4.
 */

const MIB = 2 ** 20;

type Plain = string | number | null | boolean | readonly Plain[] | { readonly [key: string]: Plain };

const sized = (code: number, width: 1 | 4, bytes: Buffer): Buffer => {
  const head = Buffer.alloc(1 + width);
  head.writeUInt8(code);
  head.writeUIntLE(bytes.length, 1, width);
  return Buffer.concat([head, bytes]);
};

/** A whole number as `pickle` writes it: BININT1, BININT2, BININT, else LONG1. */
function integer(value: number): Buffer {
  if (value >= 0 && value < 2 ** 8) return Buffer.from([0x4b, value]);
  if (value >= 0 && value < 2 ** 16) return Buffer.from([0x4d, value & 0xff, value >> 8]);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  if (value >= -(2 ** 31) && value < 2 ** 31) return Buffer.concat([Buffer.from([0x4a]), bytes.subarray(0, 4)]);
  return sized(0x8a, 1, bytes);
}

/** A pickle of plain data, protocol 4; what occurs again by identity is written once and then recalled. */
export function pickled(value: Plain): Buffer {
  const parts: Buffer[] = [Buffer.from([0x80, 4])];
  const memo = new Map<unknown, number>();
  const put = (...bytes: readonly number[]): number => parts.push(Buffer.from(bytes));
  const remember = (item: unknown): void => {
    memo.set(item, memo.size);
    put(0x94);
  };
  const write = (item: Plain): void => {
    const known = memo.get(item);
    if (known !== undefined) {
      const place = Buffer.alloc(4);
      place.writeUInt32LE(known);
      parts.push(Buffer.from([0x6a]), place);
    } else if (typeof item === 'string') {
      parts.push(sized(0x58, 4, Buffer.from(item)));
      remember(item);
    } else if (typeof item === 'number') parts.push(integer(item));
    else if (item === null) put(0x4e);
    else if (typeof item === 'boolean') put(item ? 0x88 : 0x89);
    else {
      const isList = Array.isArray(item);
      put(isList ? 0x5d : 0x7d);
      remember(item);
      put(0x28);
      for (const part of isList ? (item as readonly Plain[]) : Object.entries(item).flat()) write(part);
      put(isList ? 0x65 : 0x75);
    }
  };
  write(value);
  put(0x2e);
  return Buffer.concat(parts);
}

const frame = (name: string, filename: string, line: number): Plain => ({ filename, line, name });
const TORCH = frame('linear', '/usr/lib/python3.12/site-packages/torch/nn/functional.py', 125);
const WEIGHTS = [TORCH, frame('__init__', '/home/user/model.py', 12), frame('main', '/home/user/train.py', 5)];
const FORWARD = [TORCH, frame('forward', '/home/user/model.py', 20), frame('step', '/home/user/train.py', 31)];
const BACKWARD = [frame('backward', '/home/user/model.py', 27), frame('step', '/home/user/train.py', 32)];
const OPTIMIZER = [frame('update', '/home/user/optimizer.py', 9), frame('step', '/home/user/train.py', 33)];
const BUFFER = [frame('log', '/home/user/train.py', 40)];

/** Addresses of two segments. */
const [A, B] = [0x7f1200000000, 0x7f1300000000];
/** Unix time of the first event in microseconds. */
const START = 1_767_225_600_000_000;

const event = (at: number, action: string, addr: number, mib: number, frames: Plain): Plain => ({
  ...{ action, addr, size: mib * MIB, stream: 0, time_us: START + at, frames },
});

const block = (address: number, mib: number, frames: Plain | null): Plain => ({
  ...{ address, size: mib * MIB, requested_size: frames === null ? 0 : mib * MIB },
  ...{ state: frames === null ? 'inactive' : 'active_allocated', frames: frames ?? [] },
});

const segment = (address: number, mib: number, held: number, blocks: readonly Plain[]): Plain => ({
  ...{ device: 0, address, total_size: mib * MIB, allocated_size: held * MIB, active_size: held * MIB },
  ...{ requested_size: held * MIB, stream: 0, segment_type: 'large', segment_pool_id: [0, 0], is_expandable: false },
  ...{ frames: [], blocks },
});

export const memorySnapshot = (): Buffer =>
  pickled({
    segments: [
      segment(A, 4, 4, [block(A, 4, WEIGHTS)]),
      segment(B, 20, 3, [
        block(B, 2, OPTIMIZER),
        block(B + 2 * MIB, 12, null),
        block(B + 14 * MIB, 1, BUFFER),
        block(B + 15 * MIB, 5, null),
      ]),
    ],
    device_traces: [
      [
        event(0, 'segment_alloc', B, 20, FORWARD),
        event(10, 'alloc', B, 6, FORWARD),
        event(20, 'alloc', B + 6 * MIB, 8, BACKWARD),
        event(30, 'free_requested', B, 6, []),
        event(31, 'free_completed', B, 6, []),
        event(40, 'alloc', B, 2, OPTIMIZER),
        event(45, 'alloc', B + 14 * MIB, 1, BUFFER),
        event(50, 'free_requested', B + 6 * MIB, 8, []),
        event(51, 'free_completed', B + 6 * MIB, 8, []),
        event(60, 'snapshot', 0, 0, []),
      ],
    ],
    allocator_settings: { expandable_segments: false },
    external_annotations: [],
  });
