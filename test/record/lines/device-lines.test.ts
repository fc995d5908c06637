import { expect } from 'chai';
import fc from 'fast-check';
import { jsonOf } from '../../../src/record/control-characters.js';
import {
  InstructionDetails,
  InstructionLine,
  PacketLine,
  SemaphoreLine,
  type DeviceLine,
} from '../../../src/record/lines/device-lines.js';
import { encodeLine } from '../../../src/record/jsonl.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { propertyRuns } from '../../support/property-runs.js';

const number = fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.double());
const ps = fc.tuple(number, number);
const text = fc.oneof(fc.constantFrom('MATMUL', 'Tensor', 'E64', 'instruction'), fc.string({ unit: 'binary' }));
const counters = fc.dictionary(fc.oneof(fc.constantFrom('pc', 'waitNs', 'crcIn', 'crc'), fc.string()), number);

const instructions = fc
  .tuple(number, number, text, number, number, number, number, text, ps, counters)
  .map((fields) => new InstructionLine(...fields, null));
const ownCounters = fc.dictionary(
  fc.constantFrom('elements', 'sbufReadBytes', 'compilerPc', 'flowDependencies'),
  number,
);
const runs = fc.record({ pc: fc.nat(), waitNs: fc.nat(), crcIn: fc.nat(), crcOut: fc.nat() }, { requiredKeys: [] });
/** Instructions with what is known of them, each of two runs. */
const detailed = fc
  .tuple(
    fc.option(text),
    fc.array(fc.record({ id: text, kind: text })),
    fc.dictionary(text, text),
    ownCounters,
    runs,
    runs,
  )
  .map(([operands, after, labels, own, ...both]) => {
    const details = new InstructionDetails({ operands, after, labels, counters: own });
    const [, line] = both.map(
      (run) => new InstructionLine(0, 1, 'COPY', 5, 6, 4, 3, 'Vector', [7, 8], details.countersOf(run), details),
    );
    return line;
  });
const packetDetails = fc.option(
  fc.dictionary(text, text).map((labels) => new InstructionDetails({ operands: '', labels, counters: {} })),
);
const packets = fc
  .tuple(
    number,
    number,
    number,
    number,
    number,
    number,
    text,
    number,
    fc.option(text, { nil: undefined }),
    ps,
    counters,
    packetDetails,
  )
  .map((fields) => new PacketLine(...fields));
const semaphores = fc
  .tuple(number, number, number, number, number, fc.option(text, { nil: undefined }))
  .map((fields) => new SemaphoreLine(...fields));

describe('lines that write themselves', () => {
  for (const [what, lines] of Object.entries({ instructions, detailed, packets, semaphores })) {
    it(`are the text that any record has: ${what}`, () => {
      fc.assert(
        fc.property(lines as fc.Arbitrary<DeviceLine & ProfileLine>, (line) => {
          expect(encodeLine(line)).to.equal(`${jsonOf(line)}\n`);
        }),
        { numRuns: propertyRuns(250) },
      );
    });
  }

  it('have counters of the run, then those of the instruction', () => {
    const details = new InstructionDetails({
      operands: ' cycle=1 ',
      after: [{ id: 'a', kind: 'flow' }],
      labels: { type: 'REGULAR' },
      counters: { compilerPc: 3 },
    });
    const line = (waitNs: number): string =>
      encodeLine(new InstructionLine(0, 1, 'NOP', 5, 6, 4, 0, 'Tensor', [7, 8], details.countersOf({ pc: 9, waitNs }), details)); // prettier-ignore
    const only = new InstructionLine(0, 1, 'NOP', 5, 6, 4, 0, 'Tensor', [7, 8], { pc: 9, waitNs: 12 }, details);
    expect(encodeLine(only)).to.equal(line(12));
    expect(jsonOf(only.whole)).to.equal(line(12).trimEnd());
    for (const wait of [12, 0]) {
      expect(line(wait)).to.equal(
        '{"type":"kernel","profile":0,"id":1,"name":"NOP","short":"NOP","start":5,"dur":6,"device":4,"stream":0,' +
          `"engine":"Tensor","ps":[7,8],"counters":{"pc":9,"waitNs":${wait},"compilerPc":3},"operands":" cycle=1 ",` +
          '"after":[{"id":"a","kind":"flow"}],"labels":{"type":"REGULAR"}}\n',
      );
    }
  });

  it('have the fields of records in their order', () => {
    const line = new InstructionLine(0, 1, 'NOP', 5, 6, 4, 0, 'Tensor', [7, 8], { pc: 9 }, null);
    expect(encodeLine(line)).to.equal(
      '{"type":"kernel","profile":0,"id":1,"name":"NOP","short":"NOP","start":5,"dur":6,"device":4,"stream":0,' +
        '"engine":"Tensor","ps":[7,8],"counters":{"pc":9}}\n',
    );
    const packet = new PacketLine(0, 512, 5, 6, 4, 65, 'E65', 14, 'instruction', [7, 8], { crc: 9 }, null);
    expect(encodeLine(packet)).to.equal(
      '{"type":"copy","profile":0,"kind":"DMA","bytes":512,"start":5,"dur":6,"device":4,"stream":65,"engine":"E65",' +
        '"queue":14,"queueType":"instruction","ps":[7,8],"counters":{"crc":9}}\n',
    );
  });
});
