/** Which files are device traces, and the messages for those that cannot be read. */
import { expect } from 'chai';
import { readProfile } from '../../../../src/parse/profile.js';
import { ntff as reader } from '../../../../src/parse/readers/neuron/ntff.js';
import { UserError } from '../../../../src/record/errors.js';
import { ntff, semaphore, withFile, type TraceOf } from '../../../support/ntff.js';

const SEMAPHORES = 1;

/** What the reader says of a trace that it cannot read. */
function refusal(bytes: Buffer, format?: string): string {
  try {
    withFile(bytes, (path) => [...readProfile(path, { profile: 0, name: 'x.ntff', ...(format === undefined ? {} : { format }) })]); // prettier-ignore
  } catch (error) {
    if (error instanceof UserError) return error.line;
    throw error;
  }
  return 'was read';
}

describe('a device trace that cannot be read', () => {
  const without = (field: number): TraceOf => ({ fields: (fields) => fields.filter(([number]) => number !== field) });
  const windowOf = (start: bigint, end: bigint): TraceOf => ({
    fields: (fields) => fields.map((field) => (field[0] === 15 ? [15, [[2, start], [3, end]]] : field)), // prettier-ignore
  });

  for (const version of [1, 5, 7, 12]) {
    it(`is named by its version: ${version}`, () => {
      const message = `x.ntff: is a Neuron device trace of version ${version}; only version 6 is supported`;
      expect(refusal(ntff({ version }))).to.match(new RegExp(`^${message} \\(`));
    });
  }

  it('is none at all where --format says so of another file', () => {
    expect(refusal(Buffer.from('plain text'), 'ntff')).to.equal('x.ntff: is not a Neuron device trace');
    expect(refusal(Buffer.from([6, 1]), 'ntff')).to.include('ends within its metadata');
  });

  it('ends within its metadata', () => {
    const whole = ntff({});
    expect(refusal(whole.subarray(0, 180))).to.include('it ends within its metadata');
    expect(refusal(ntff({ metadataLength: 2n ** 40n }))).to.include('its metadata would have');
  });

  it('has unreadable metadata', () => {
    expect(refusal(ntff({ metadataLength: 20n }))).to.include('its metadata cannot be read: ');
  });

  it('has no execution, or none that can be', () => {
    for (const trace of [without(15), windowOf(9n, 8n), windowOf(0n, 2n ** 60n)]) {
      expect(refusal(ntff(trace))).to.include('without a program execution');
    }
  });

  it('has sections one upon the other', () => {
    const section = { kind: SEMAPHORES, offset: 0, size: 32 };
    const sections = [{ ...section, records: [semaphore(0, 1, 1), semaphore(0, 1, 1)] }, section];
    expect(refusal(ntff({ sections }))).to.include('its sections overlap');
  });
});

describe('telling a device trace from other files', () => {
  const sniff = (bytes: Buffer): boolean =>
    withFile(bytes, (path) =>
      reader.sniff({ file: 'x', path, folder: null, head: bytes.subarray(0, 4096), database: null }),
    );

  it('goes by content', () => {
    expect(sniff(ntff({}))).to.equal(true);
    expect(sniff(ntff({ version: 3 }))).to.equal(true);
    // Cut off, but no doubt.
    expect(sniff(ntff({}).subarray(0, 170))).to.equal(true);
  });

  const OTHERS: Readonly<Record<string, Buffer>> = {
    'an empty file': Buffer.alloc(0),
    zeros: Buffer.alloc(500),
    'a short one': Buffer.from([6, 10, 0, 0]),
    gzip: Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(500, 7)]),
    SQLite: Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(500)]),
    ELF: Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(500)]),
    tar: Buffer.concat([Buffer.from('file.txt'), Buffer.alloc(500)]),
    'a protocol buffer': Buffer.concat([Buffer.from([10, 5]), Buffer.from('hello'), Buffer.alloc(500, 10)]),
    'one whose lengths do not agree': ntff({ version: 3, metadataLength: 2n ** 40n }),
    'one without a name': ntff({ fields: (fields) => fields.slice(1) }),
  };
  for (const [what, bytes] of Object.entries(OTHERS)) {
    it(`is not misled by ${what}`, () => {
      expect(sniff(bytes)).to.equal(false);
    });
  }
});
