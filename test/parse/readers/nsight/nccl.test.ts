import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Collective, ProcessGroup } from '../../../../src/record/fields/collective.js';
import { globalTid, NsightDatabase } from '../../../support/nsight-database.js';
import type { Cells } from '../../../support/profile-database.js';
import { diagnosticsOf, headerOf, kernelsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

const DOMAIN = 1;
const [INT, UINT64, SIZE] = [5, 18, 22];

type Entry = readonly [name: string, type: number, offset: number | null];

const [COMMUNICATOR, MESSAGE]: Entry[] = [
  ['NCCL communicator ID', UINT64, null],
  ['Message size [bytes]', SIZE, 8],
] as const;

/** Schemas of NCCL 2.27 as fsdp_2proc.sqlite has them; the last one is that of 2.24, without a communicator. */
const SCHEMAS: Readonly<Record<number, readonly Entry[]>> = {
  16777218: [COMMUNICATOR, ['No. of ranks', INT, 8], ['Rank', INT, 12], ['CUDA device', INT, 16]],
  16777220: [COMMUNICATOR, MESSAGE],
  16777223: [COMMUNICATOR, MESSAGE, ['Reduction operation', 16777232, 16]],
  16777225: [COMMUNICATOR, MESSAGE, ['Peer rank', INT, 16]],
  16777222: [COMMUNICATOR, MESSAGE, ['Root', INT, 16]],
  99: [['Message size [bytes]', SIZE, null]],
};
const [INIT, GATHER, REDUCE, PEER, ROOT, OLD] = [16777218, 16777220, 16777223, 16777225, 16777222, 99];

const HASH = 0xfedcba9876543210n;
const NAME = '0xfedcba9876543210';

/** A payload with its header, its values 64 bits wide but for the last ones, which are 32. */
function payload(schema: number, wide: readonly bigint[], narrow: readonly number[] = []): Buffer {
  const size = Math.ceil((8 * wide.length + 4 * narrow.length) / 8) * 8;
  const bytes = Buffer.alloc(32 + size);
  [BigInt(DOMAIN), BigInt(schema), BigInt(size), 32n, ...wide].forEach((value, i) =>
    bytes.writeBigUInt64LE(value, 8 * i),
  );
  narrow.forEach((value, i) => bytes.writeInt32LE(value, 32 + 8 * wide.length + 4 * i));
  return bytes;
}

class NcclDatabase extends NsightDatabase {
  constructor() {
    super();
    // Each process registers its own.
    for (let process = 0; process < 2; process++)
      for (const [schemaId, entries] of Object.entries(SCHEMAS))
        entries.forEach(([name, type, offset], idx) =>
          this.row('NVTX_PAYLOAD_SCHEMA_ENTRIES', {
            domainId: DOMAIN,
            schemaId: Number(schemaId),
            idx,
            type,
            name,
            offset,
          }),
        );
    this.registered('NCCL', 0, { eventType: 75 });
  }

  /** A range of 10 ns in NCCL's domain. */
  registered(text: string, start: number, cells: Cells = {}): this {
    return this.range(null, start, start + 10, { domainId: DOMAIN, textId: this.string(text), ...cells });
  }

  /** A launch at a time, and its kernel. */
  nccl(at: number, name = 'ncclDevKernel_Generic', cells: Cells = {}): this {
    const kernel = { start: at + 1000, end: at + 1010 };
    return this.call({ start: at, end: at + 2 }, at, cells).kernel(kernel, at, {}, name);
  }
}

const collectivesOf = (db: NsightDatabase): (Collective | undefined)[] =>
  kernelsOf(db.write()).map(({ collective }) => collective);
const groupsOf = (db: NsightDatabase): readonly ProcessGroup[] | undefined => headerOf(db.write()).groups;

const reduction = (bytes: number): Cells => ({ binaryData: payload(REDUCE, [HASH, BigInt(bytes)], [0]) });
const message = (bytes: number, peer: number): Cells => ({ binaryData: payload(PEER, [HASH, BigInt(bytes)], [peer]) });

const EXPECTED: Collective = {
  op: 'allreduce',
  bytesIn: 640,
  bytesOut: 640,
  dtype: null,
  group: NAME,
  groupSize: null,
  ranks: null,
};

/** The ranks of the communicator are stated where it is made. */
const made = (): NcclDatabase =>
  new NcclDatabase().registered('ncclCommInitRankConfig', 10, { binaryData: payload(INIT, [HASH], [4, 1, 0]) });

describe('Nsight Systems: NCCL', () => {
  it('the operation of a kernel that is launched in the range of its call', () => {
    const db = new NcclDatabase().registered('ncclAllReduce', 100, reduction(640)).nccl(105);
    expect(collectivesOf(db)).to.deep.equal([EXPECTED]);
    expect(diagnosticsOf(db.write())).to.deep.equal({});
  });

  it('is found beside a registered text whose number is none', () => {
    const path = new NcclDatabase().registered('ncclAllReduce', 100, reduction(640)).nccl(105).write();
    const db = new Database(path);
    db.exec('CREATE TABLE texts (id, value); INSERT INTO texts SELECT id, value FROM StringIds');
    db.exec("INSERT INTO texts VALUES ('x', 'ncclAllGather'); DROP TABLE StringIds");
    db.exec('ALTER TABLE texts RENAME TO StringIds');
    db.close();
    expect(kernelsOf(path).map(({ collective }) => collective)).to.deep.equal([EXPECTED]);
  });

  it('the communicator, with its ranks where they are stated', () => {
    const db = made().registered('ncclAllReduce', 100, reduction(640)).nccl(105);
    expect(collectivesOf(db)).to.deep.equal([{ ...EXPECTED, groupSize: 4 }]);
    expect(groupsOf(db)).to.deep.equal([{ name: NAME, description: null, size: 4, ranks: null }]);
    expect(groupsOf(new NcclDatabase())).to.equal(undefined);
  });

  // NCCL's documentation: `count` of an all-gather is what a rank sends, of a reduce-scatter what it receives.
  const sizes: [call: string, schema: number, narrow: number[], expected: Partial<Collective>][] = [
    ['AllGather', GATHER, [], { op: 'allgather', bytesIn: 640, bytesOut: 2560 }],
    ['ReduceScatter', REDUCE, [0], { op: 'reducescatter', bytesIn: 2560, bytesOut: 640 }],
    ['AlltoAll', GATHER, [], { op: 'alltoall', bytesIn: 2560, bytesOut: 2560 }],
    ['Broadcast', ROOT, [2], { op: 'broadcast', bytesIn: 640, bytesOut: 640 }],
    ['Gather', ROOT, [2], { op: 'gather', bytesIn: 640, bytesOut: null }],
    ['Scatter', ROOT, [2], { op: 'scatter', bytesIn: null, bytesOut: 640 }],
    ['Send', PEER, [3], { op: 'send', bytesIn: 640, bytesOut: 640 }],
  ];
  for (const [call, schema, narrow, expected] of sizes)
    it(`messages of ncclX: ${call}`, () => {
      const db = made()
        .registered(`nccl${call}`, 100, { binaryData: payload(schema, [HASH, 640n], narrow) })
        .nccl(105);
      expect(collectivesOf(db)).to.deep.equal([{ ...EXPECTED, groupSize: 4, ...expected }]);
    });

  it('peer and root in the numbers of the communicator', () => {
    const db = new NcclDatabase()
      .registered('ncclSend', 100, message(8, 3))
      .nccl(105)
      .registered('ncclBroadcast', 200, { binaryData: payload(ROOT, [HASH, 8n], [0]) })
      .nccl(205);
    expect(kernelsOf(db.write()).map(({ labels }) => labels)).to.deep.equal([{ 'Peer rank': 3 }, { Root: 0 }]);
    // How the job numbers these ranks is not known.
    expect(collectivesOf(db).some((collective) => collective?.peer !== undefined)).to.equal(false);
  });

  it('payloads of NCCL up to 2.24, which have no communicator', () => {
    const db = new NcclDatabase().registered('ncclAllReduce', 100, { binaryData: payload(OLD, [640n]) }).nccl(105);
    expect(collectivesOf(db)).to.deep.equal([{ ...EXPECTED, group: null }]);
  });

  describe('groups launch at their end', () => {
    const group = (...calls: readonly (readonly [string, Cells])[]): NcclDatabase => {
      const db = new NcclDatabase().registered('ncclGroupStart', 100);
      calls.forEach(([text, cells], i) => db.registered(text, 120 + 20 * i, cells));
      return db.registered('ncclGroupEnd', 500);
    };
    const exchange = (): NcclDatabase =>
      group(
        ['ncclSend', message(1, 0)],
        ['ncclRecv', message(20, 0)],
        ['ncclSend', message(300, 1)],
        ['ncclRecv', message(4000, 1)],
      );

    it('sends and receives, added up', () => {
      const expected = { ...EXPECTED, op: 'sendrecv', bytesIn: 301, bytesOut: 4020 };
      expect(collectivesOf(exchange().nccl(505))).to.deep.equal([expected]);
    });

    it('which are what the framework calls them', () => {
      const db = exchange().range('nccl:all_to_all, op_id = 7', 90, 600).nccl(505);
      expect(collectivesOf(db)).to.deep.equal([{ ...EXPECTED, op: 'all_to_all', bytesIn: 301, bytesOut: 4020 }]);
      // The operation before is another.
      const later = exchange().range('nccl:broadcast', 80, 300).nccl(505);
      expect(collectivesOf(later)[0]?.op).to.equal('sendrecv');
    });

    it('one way alone', () => {
      const expected = { ...EXPECTED, op: 'send', bytesIn: 3, bytesOut: 3 };
      expect(collectivesOf(group(['ncclSend', message(1, 0)], ['ncclSend', message(2, 1)]).nccl(505))).to.deep.equal([
        expected,
      ]);
    });

    it('calls of one kind: those of one kernel are added up, several kernels have their own', () => {
      const db = group(['ncclAllReduce', reduction(640)], ['ncclAllReduce', reduction(640)]);
      expect(collectivesOf(db.nccl(501))).to.deep.equal([{ ...EXPECTED, bytesIn: 1280, bytesOut: 1280 }]);
      expect(collectivesOf(db.nccl(504))).to.deep.equal([EXPECTED, EXPECTED]);
      const [first, ...others] = collectivesOf(db.nccl(507));
      expect([first, others.length]).to.deep.equal([{ ...EXPECTED, bytesIn: null, bytesOut: null }, 2]);
    });

    it('calls of different kinds are none of them', () => {
      const db = group(['ncclAllReduce', reduction(640)], ['ncclSend', message(1, 0)]);
      expect(collectivesOf(db.nccl(505))).to.deep.equal([undefined]);
    });

    it('groups in groups launch at the end of the outermost', () => {
      const db = group(['ncclGroupStart', {}], ['ncclAllReduce', reduction(640)], ['ncclGroupEnd', {}]);
      expect(collectivesOf(db.nccl(165).nccl(505))).to.deep.equal([undefined, EXPECTED]);
    });

    it('a group whose start is not in the profile has unknown calls', () => {
      const db = new NcclDatabase().registered('ncclAllReduce', 100, reduction(640)).registered('ncclGroupEnd', 500);
      expect(collectivesOf(db.nccl(505))).to.deep.equal([undefined]);
    });
  });

  it('kernels of others, on another thread, or before and after the call have none', () => {
    const db = new NcclDatabase().registered('ncclAllReduce', 100, reduction(640));
    const other = { globalTid: globalTid(77) };
    expect(
      collectivesOf(db.nccl(99).nccl(111).nccl(104, 'reduce_kernel').nccl(105, 'ncclKernel', other)),
    ).to.deep.equal(new Array<undefined>(4).fill(undefined));
  });

  it('without payloads the operation is known by the name of its call', () => {
    const db = new NcclDatabase().registered('ncclAllReduce', 100).nccl(105);
    expect(collectivesOf(db)).to.deep.equal([{ ...EXPECTED, bytesIn: null, bytesOut: null, group: null }]);
  });

  it('payloads as JSON, of the newest versions', () => {
    const jsonText =
      '{"commHash": 18364758544493064720, "count": 160, "dataType": "ncclFloat32", "rank": 1, "seqNumber": 17}';
    const db = new NcclDatabase().registered('AllReduce', 100, { jsonText }).nccl(105);
    expect(collectivesOf(db)).to.deep.equal([{ ...EXPECTED, dtype: 'float32', ordinal: 17 }]);
    const elsewhere = new NcclDatabase().registered('AllReduce', 100, { jsonText, domainId: 2 }).nccl(105);
    expect(collectivesOf(elsewhere)).to.deep.equal([undefined]);
  });

  it('damaged payloads are counted, and end nothing', () => {
    const whole = payload(REDUCE, [HASH, 640n], [0]);
    const damaged = fc.oneof(
      fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
      fc.nat(whole.length - 1).map((length) => whole.subarray(0, length)),
      fc.constant(payload(1, [HASH])),
      fc.constant('no payload'),
    );
    fc.assert(
      fc.property(damaged, (binaryData) => {
        const db = new NcclDatabase().registered('ncclAllReduce', 100, { binaryData }).nccl(105);
        expect(diagnosticsOf(db.write())).to.deep.equal({ 'payload-not-read': 1 });
        expect(collectivesOf(db)[0]?.op).to.equal('allreduce');
      }),
      { numRuns: 30 },
    );
    for (const jsonText of ['{', '[1]', '5'])
      expect(diagnosticsOf(new NcclDatabase().registered('ncclSend', 1, { jsonText }).write())).to.deep.equal({
        'payload-not-read': 1,
      });
  });

  it('the machine, and nothing else of its environment', () => {
    const environment = (...rows: readonly (readonly [name: string, value: string])[]): NsightDatabase => {
      const db = new NsightDatabase();
      for (const [name, value] of rows) db.row('TARGET_INFO_SYSTEM_ENV', { name, value });
      return db;
    };
    const hostOf = (db: NsightDatabase): string | undefined => headerOf(db.write()).host;
    expect(hostOf(environment(['OsDescription', 'Linux'], ['Hostname', 'node-7'], ['Secret', 'x']))).to.equal('node-7');
    expect(hostOf(environment(['Hostname', 'a'], ['Hostname', 'b']))).to.equal(undefined);
    expect(hostOf(environment(['Hostname', '']))).to.equal(undefined);
    expect(hostOf(environment(['OsDescription', 'Linux']))).to.equal(undefined);
  });

  itShared('kernels of two processes', ['data/nsys/fsdp_2proc.sqlite'], ([path = '']) => {
    const db = new Database(path, { readonly: true });
    const kernels = kernelsOf(path).filter(({ name }) => name.includes('nccl'));
    const count = (sql: string): unknown => db.prepare(sql).pluck().get();
    const all = `FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName WHERE s.value LIKE '%nccl%'`;
    const launched = `SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME r WHERE r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24`;
    expect(kernels.length).to.equal(count(`SELECT count(*) ${all}`));
    const known = kernels.filter(({ collective }) => collective?.op === 'all_to_all');
    expect(known.length).to.equal(count(`SELECT count(*) ${all} AND EXISTS (${launched})`));
    db.close();
  });
});
