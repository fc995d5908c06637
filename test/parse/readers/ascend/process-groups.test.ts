import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  communicatorHash,
  jobOf,
  parseOperationName,
  ProcessGroups,
} from '../../../../src/parse/readers/ascend/process-groups.js';
import type { Transfer } from '../../../../src/record/fields/collective.js';
import type { CollectiveRecord } from '../../../../src/record/record.js';
import { training } from '../../../support/ascend-database.js';
import { headerOf, recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

const DESCRIBED = {
  world: { group_name: 'default_group', group_rank: 2, global_ranks: [0, 1, 2, 3] },
  pipeline: { group_name: 'pp', group_rank: 1, global_ranks: [0, 2] },
  alone: { global_ranks: 'x' },
};
const groups = (rank: number | null = 2, hashed = false): ProcessGroups => new ProcessGroups(DESCRIBED, hashed, rank);
const transfer = (src: number | null, dst: number | null): Transfer => ({
  src,
  dst,
  link: 'HCCS',
  bytes: 8,
  count: 1,
  dur: 1,
});

const collectivesOf = (path: string): CollectiveRecord[] =>
  recordsOf(path).filter((record): record is CollectiveRecord => record.type === 'collective');

describe('Ascend: process groups', () => {
  it('as the profiler describes them', () => {
    expect(groups().all).to.deep.equal([
      { name: 'world', description: 'default_group', size: 4, ranks: [0, 1, 2, 3] },
      { name: 'pipeline', description: 'pp', size: 2, ranks: [0, 2] },
      { name: 'alone', description: null, size: null, ranks: null },
    ]);
    for (const described of [null, 5, [], 'x', undefined])
      expect(new ProcessGroups(described, false, 0).all).to.deep.equal([]);
  });

  it('by the hash of their name in text files, else by its last digits', () => {
    const hash = communicatorHash('pipeline');
    expect(groups(2, true).find(hash)?.ranks).to.deep.equal([0, 2]);
    expect(groups(2, true).find(null, hash.slice(-3))?.ranks).to.deep.equal([0, 2]);
    expect(groups(2, true).find('pipeline')).to.equal(null);
    expect(groups().find('pipeline', '000')?.ranks).to.deep.equal([0, 2]);
    expect(groups().find(null, hash.slice(-3))).to.equal(null);
    // Found by trying names: both hashes end in the same digits.
    expect(communicatorHash('g0').slice(-3)).to.equal(communicatorHash('g2000').slice(-3));
    const same = new ProcessGroups({ g0: { global_ranks: [0] }, g2000: { global_ranks: [1] } }, true, 0);
    expect(same.find(null, communicatorHash('g0').slice(-3))).to.equal(null);
  });

  it('a group and a number in the name of an operation', () => {
    expect(parseOperationName('hcom_allReduce__586_12_1')).to.deep.equal({ group: '586', number: 12 });
    for (const name of ['', 'hcom_allReduce_', 'hcom_allReduce__586', 'MatMul_1_2_3', 'a__1_99999999999999999_1'])
      expect(parseOperationName(name), name).to.deep.equal({ group: null, number: null });
  });

  const identity = (
    kind: string | null,
    group: string,
    transfers: readonly Transfer[] = [],
    rank: number | null = 2,
  ): object => groups(rank).identityOf(`hcom_x__586_7_1`, kind, groups().find(group), transfers);

  it('the number of a collective, and the other rank of a message', () => {
    expect(identity('allReduce', 'world')).to.deep.equal({ ordinal: 7 });
    expect(identity(null, 'world')).to.deep.equal({ ordinal: 7 });
    // Rank 2 of the job is the rank 1 of the group.
    expect(identity('send', 'pipeline')).to.deep.equal({ peer: 0 });
    expect(identity('batchSendRecv', 'pipeline', [transfer(1, 0), transfer(1, 1)])).to.deep.equal({ peer: 0 });
    expect(identity('receive', 'world', [transfer(3, 2), transfer(2, 2), transfer(2, null)])).to.deep.equal({
      peer: 3,
    });
  });

  it('no peer where it is not known', () => {
    expect(identity('send', 'world')).to.deep.equal({});
    expect(identity('send', 'world', [transfer(2, 1), transfer(2, 3)])).to.deep.equal({});
    expect(identity('send', 'world', [transfer(2, 9)])).to.deep.equal({});
    expect(identity('send', 'nothing', [transfer(2, 1)])).to.deep.equal({});
    expect(identity('send', 'pipeline', [], null)).to.deep.equal({});
    expect(identity('send', 'pipeline', [], 1)).to.deep.equal({});
  });

  it('what metadata state of the job', () => {
    expect(jobOf({ world_size: 4 }, groups(), 'node')).to.deep.equal({
      worldSize: 4,
      host: 'node',
      groups: groups().all,
    });
    expect(jobOf('{"world_size": 4}', new ProcessGroups(null, false, 0), null)).to.deep.equal({ worldSize: 4 });
    for (const args of [null, 5, 'x', {}, { world_size: -1 }])
      expect(jobOf(args, new ProcessGroups(null, false, 0), null)).to.deep.equal({});
  });

  it('the machine in a database', () => {
    const host = (...names: string[]): string | undefined => {
      const database = training();
      for (const hostName of names) database.row('HOST_INFO', { hostUid: '1', hostName });
      return headerOf(database.write()).host;
    };
    expect(host('node-1', 'node-1')).to.equal('node-1');
    expect(host('node-1', 'node-2')).to.equal(undefined);
    expect(host('')).to.equal(undefined);
    expect(host()).to.equal(undefined);
  });
});

describe('Ascend: collectives of real profiles', () => {
  for (const [level, rank] of [
    ['level0', 0],
    ['level1', 1],
    ['level2', 1],
  ] as const) {
    const file = `data/ascend/db_${level}_rank${rank}/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_${rank}.db`;
    itShared(`of a database: ${level}`, [file], ([path = '']) => {
      const database = new Database(path, { readonly: true });
      const names = database
        .prepare('SELECT value FROM COMMUNICATION_OP JOIN STRING_IDS ON id = opName')
        .pluck()
        .all() as string[];
      const hosts = database.prepare('SELECT hostName FROM HOST_INFO').pluck().all();
      database.close();
      expect([headerOf(path).host]).to.deep.equal(hosts);
      expect(collectivesOf(path).map(({ name, ordinal }) => [name, ordinal])).to.have.deep.members(
        names.map((name) => [name, Number(name.split('_').at(-2))]),
      );
    });
  }

  const QWEN = 'data/ascend/text_qwen_level2_rank0/ASCEND_PROFILER_OUTPUT/kernel_details.csv';
  itShared('of a text profile with groups', [QWEN], ([path = '']) => {
    const metadata = JSON.parse(readFileSync(join(dirname(path), '..', 'profiler_metadata.json'), 'utf8')) as {
      distributed_args: { world_size: number };
      parallel_group_info: Record<string, { group_name: string; global_ranks: number[] }>;
    };
    const header = headerOf(path);
    expect(header.worldSize).to.equal(metadata.distributed_args.world_size);
    expect(header.groups?.map(({ description, ranks }) => [description, ranks])).to.deep.equal(
      Object.values(metadata.parallel_group_info).map((group) => [group.group_name, group.global_ranks]),
    );
    const communication = JSON.parse(readFileSync(join(dirname(path), 'communication.json'), 'utf8')) as object;
    const keys = Object.values(communication).flatMap((kinds: Record<string, object>) =>
      Object.values(kinds).flatMap((one) => Object.keys(one)),
    );
    const collectives = collectivesOf(path);
    expect(collectives.map(({ name, group }) => `${name}@${group}`)).to.have.members(
      keys.filter((key) => key !== 'Total Op Info'),
    );
    const known = new Map(header.groups?.map((group) => [group.name, group.ranks]));
    for (const { name, group, ranks, ordinal, peer } of collectives) {
      expect(ranks, name).to.deep.equal(known.get(group ?? ''));
      const isMessage = name.includes('SendRecv');
      expect(ordinal, name).to.equal(isMessage ? undefined : Number(name.split('_').at(-2)));
      expect(peer, name).to.equal(isMessage ? 2 : undefined);
    }
  });
});
