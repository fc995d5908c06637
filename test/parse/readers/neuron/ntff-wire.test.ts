import { expect } from 'chai';
import fc from 'fast-check';
import { ProtobufMessage, WireError } from '../../../../src/parse/input/protobuf.js';

const bytes = (...values: number[]): Buffer => Buffer.from(values);

describe('the wire format of protocol buffers', () => {
  it('reads numbers up to 64 bits exactly', () => {
    // Field 2, kind 0: tag 2·8 + 0 = 0x10. 2^64 − 1 is nine groups of seven ones and a last one.
    const most = ProtobufMessage.read(bytes(0x10, ...Array<number>(9).fill(0xff), 0x01));
    expect(most.integer(2)).to.equal(2n ** 64n - 1n);
    expect(ProtobufMessage.read(bytes(0x10, 0xac, 0x02)).number(2)).to.equal(300);
  });

  it('takes a field that is absent for 0 as a number, and for none otherwise', () => {
    const empty = ProtobufMessage.read(bytes());
    expect([empty.number(1), empty.integer(1), empty.text(1), empty.message(1)]).to.deep.equal([0, null, null, null]);
  });

  it('reads texts, bytes and messages inside', () => {
    const message = ProtobufMessage.read(bytes(0x0a, 2, 0x68, 0x69, 0x1a, 2, 0x08, 5, 0x1a, 2, 0x08, 6));
    expect(message.text(1)).to.equal('hi');
    expect(message.messages(3).map((each) => each.number(1))).to.deep.equal([5, 6]);
  });

  it('skips fields of fixed size', () => {
    const message = ProtobufMessage.read(bytes(0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4, 0x18, 9));
    expect([message.integer(1), message.integer(2), message.integer(3)]).to.deep.equal([null, null, 9n]);
  });

  const REFUSED: readonly (readonly [what: string, message: string, bytes: Buffer])[] = [
    ['a number that is cut off', 'a number is cut off', bytes(0x10, 0xff)],
    ['a number without end', 'a number with more than 64 bits', bytes(0x10, ...Array<number>(11).fill(0xff))],
    ['a field longer than the message', 'a field is cut off', bytes(0x0a, 5, 1)],
    ['a length beyond any memory', 'a field is cut off', bytes(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)],
    ['a fixed field that is cut off', 'a field is cut off', bytes(0x09, 1, 2)],
    ['field 0', 'field without a number', bytes(0x00, 1)],
    ['groups', 'field of unknown kind 3', bytes(0x0b)],
  ];
  for (const [what, reason, input] of REFUSED) {
    it(`refuses ${what}`, () => {
      expect(() => ProtobufMessage.read(input)).to.throw(WireError, reason);
    });
  }

  it('refuses messages that nest without end', () => {
    let nested = bytes();
    for (let i = 0; i < 20; i++) nested = Buffer.concat([bytes(0x0a, nested.length), nested]);
    const descend = (message: ProtobufMessage | null): void => {
      if (message !== null) descend(message.message(1));
    };
    expect(() => {
      descend(ProtobufMessage.read(nested));
    }).to.throw(WireError, 'are nested too deeply');
  });

  it('refuses more fields than any capture has', () => {
    expect(() => ProtobufMessage.read(Buffer.alloc(2 * 300_000, bytes(0x08, 1)))).to.throw(
      WireError,
      'too many fields',
    );
  });

  it('throws nothing else, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (input) => {
        try {
          const message = ProtobufMessage.read(Buffer.from(input));
          for (let field = 1; field < 20; field++) message.messages(field);
        } catch (error) {
          expect(error).to.be.instanceOf(WireError);
        }
      }),
    );
  });
});
