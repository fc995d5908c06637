import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { copiesFor, copyBytes, repeatNeuron, strideOf } from '../../bench/neuron-repeat.js';
import { neuronTemplate } from '../../bench/neuron-template.js';
import { fieldsOf, message, numberIn, readVarint, varint, withNumber } from '../../bench/neuron-wire.js';
import type { ProfileLine } from '../../src/record/record.js';
import { instructionEnd, instructionStart, ntff, packet, readTrace, semaphore, type TraceOf } from '../support/ntff.js';
import { itShared } from '../support/shared.js';

function repeated(bytes: Buffer, times: number): Buffer {
  const pieces: Buffer[] = [];
  repeatNeuron(neuronTemplate(bytes), times, (piece) => pieces.push(Buffer.from(piece)));
  return Buffer.concat(pieces);
}

const DMA = 4;
/** 10 µs: copies follow each other by 10 µs and the gap of 1 µs, that is 11,000 ns. */
const TRACE: TraceOf = {
  length: 10_000_000,
  opcodes: [[0x01, 0x02]],
  sections: [
    {
      kind: 0,
      records: [
        // Before the execution, without an end, and without a start: not to be repeated.
        instructionStart(-5, 0, 0),
        instructionEnd(20, 0, 0),
        instructionStart(1_000_000, 0, 0, 12),
        instructionEnd(1_500_250, 0, 0, 7, 8),
        instructionStart(2_000_000, 0, 1),
        instructionEnd(3_000_000, 1, 1),
      ],
    },
    { kind: 1, records: [semaphore(4_000_999, 3, 9), semaphore(4_000_999, 3, 9, 0)] },
    {
      kind: DMA,
      group: 1,
      records: [
        packet(100, 1, 0, 0),
        packet(900_000, 5, 0, 0, 512, 77),
        packet(950_000, 6, 0, 0),
        packet(50, 1, 1, 14),
        packet(60, 5, 1, 14, 64, 78),
      ],
    },
  ],
};

const timed = (lines: readonly ProfileLine[]): ProfileLine[] =>
  lines
    .filter(({ type }) => type === 'kernel' || type === 'copy' || type === 'sample')
    .filter((line) => !('start' in line && line.start === null));

/** A line as copy `copy` of it has to be, without its number. */
const moved = (line: ProfileLine, copy: number, stride: number): unknown => ({
  ...line,
  id: null,
  start: (line as { readonly start: number }).start + copy * stride,
});

const withoutId = (line: ProfileLine): unknown => moved(line, 0, 0);

describe('a repeated device trace', () => {
  it('has every line of what lies within the execution so many times, moved on', () => {
    const { lines: once } = readTrace(repeated(ntff(TRACE), 1));
    const { lines, end } = readTrace(repeated(ntff(TRACE), 4));
    // An instruction, two packets and a semaphore.
    expect(timed(once)).to.have.length(4);
    expect(timed(lines).map(withoutId)).to.deep.equal(
      [0, 1, 2, 3].flatMap((copy) => timed(once).map((line) => moved(line, copy, 11_000))),
    );
    // Words of which all but the opcode is 0 have an element type of code 0, which is not known.
    expect(end.diagnostics).to.deep.equal({ 'operands-not-known': 4, 'program-not-found': 1, 'unknown-record': 4 });
    // 10 µs and three times 11.
    expect(lines[0]).to.include({ type: 'profile', dur: 43_000 });
  });

  it('gives with one copy what the trace gives', () => {
    const lines = (bytes: Buffer): ProfileLine[] => readTrace(bytes).lines.slice(0, -1);
    expect(lines(repeated(ntff(TRACE), 1))).to.deep.equal(lines(ntff(TRACE)));
  });

  it('repeats the records of each DMA engine on their own', () => {
    const bytes = repeated(ntff(TRACE), 2);
    const engines = Array.from({ length: 10 }, (_, i) => (bytes[bytes.length - (10 - i) * 16 + 3] ?? 0) & 31);
    expect(engines).to.deep.equal([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
  });

  it('is of the size asked for, to one copy', () => {
    const template = neuronTemplate(ntff(TRACE));
    // Nine records: two of an instruction, two of semaphores, five of packets.
    expect(copyBytes(template)).to.equal(9 * 16);
    expect(copiesFor(template, 1000)).to.equal(7);
    expect(strideOf(template)).to.equal(11_000_000n);
    expect(repeated(ntff(TRACE), 7).length).to.be.within(1000, 1000 + 144 + 1000);
  });

  it('is refused where there is no trace', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(500),
      ntff({ version: 5 }),
      ntff({ metadataLength: 2n ** 60n }),
    ]) {
      expect(() => neuronTemplate(bytes)).to.throw(/^no device trace/);
    }
  });

  itShared('multiplies a real one', ['data/neuron/trn2_fused_fp32_s512/fused_exec_2.ntff'], ([path = '']) => {
    const bytes = readFileSync(path);
    const [{ lines: real }, { lines, end }] = [readTrace(bytes), readTrace(repeated(bytes, 3))];
    const count = (of: readonly ProfileLine[], isCounted: (line: ProfileLine) => boolean): number =>
      of.filter(isCounted).length;
    for (const type of ['kernel', 'copy'] as const) {
      expect(count(lines, (line) => line.type === type)).to.equal(3 * count(real, (line) => line.type === type));
    }
    const isTimed = (line: ProfileLine): boolean => line.type === 'sample' && line.start !== null;
    expect(count(lines, isTimed)).to.equal(3 * count(real, isTimed));
    expect(Object.keys(end.diagnostics)).to.have.members(['program-not-found', 'unknown-record']);
  });
});

describe('fields of a message', () => {
  it('are written as they were read', () => {
    // Field 1: 150; field 2: bytes; field 3: eight bytes; field 4: four bytes. Source: protobuf.dev, "Encoding".
    const bytes = Buffer.from('089601120361626319000102030405060725aabbccdd', 'hex');
    const fields = fieldsOf(bytes);
    expect(fields?.map(({ field }) => field)).to.deep.equal([1, 2, 3, 4]);
    expect(numberIn(fields ?? [], 1)).to.equal(150n);
    expect(message(fields ?? [])).to.deep.equal(bytes);
    expect(message(withNumber(fields ?? [], 1, 1n)).toString('hex')).to.equal(`0801${bytes.toString('hex', 3)}`);
  });

  it('are none where the bytes are none', () => {
    for (const hex of ['08', '00', '0f01', '1205616263', '19000102', '08ffffffffffffffffffffff01']) {
      expect(fieldsOf(Buffer.from(hex, 'hex')), hex).to.equal(null);
    }
  });

  it('have numbers of up to 64 bits', () => {
    for (const value of [0n, 127n, 128n, 2n ** 63n, 2n ** 64n - 1n]) {
      expect(readVarint(varint(value), 0)?.value).to.equal(value);
    }
  });
});
