import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  isDict,
  LiteralError,
  MAX_DEPTH,
  parseLiteral,
  type PythonValue,
} from '../../../src/record/python/python-literal.js';
import { itShared } from '../../support/shared.js';
import { itWithProcess } from '../../support/sets.js';
import { propertyRuns } from '../../support/property-runs.js';

/** Prints 500 lines [repr(value), value] as JSON, of seeded random values that JSON can hold. */
const PYTHON_SAMPLES = `
import json, random
rng = random.Random(7)
def text():
    pools = ['ab c', '\\n\\t\\r\\\\\\'"', '\\x00\\x7f\\x85\\xa0\\xad', 'é中\\u200b\\u2028', chr(0x1f600) + chr(0xe000) + chr(0xd800)]
    return ''.join(rng.choice(rng.choice(pools)) for _ in range(rng.randrange(12)))
def value(depth):
    kind = rng.randrange(9 if depth else 6)
    if kind == 0: return rng.choice([None, True, False])
    if kind == 1: return rng.randrange(-2**53 + 1, 2**53)
    if kind == 2: return rng.uniform(-1, 1) * 10.0 ** rng.randrange(-30, 30)
    if kind <= 5: return text()
    items = [value(depth - 1) for _ in range(rng.randrange(4))]
    if kind == 6: return items
    if kind == 7: return tuple(items)
    return {text(): item for item in items}
for _ in range(500):
    one = value(4)
    print(json.dumps([repr(one), one]))
`;

/** The error that the text gives; fails when it gives none, or another kind of error. */
function errorOf(text: string): LiteralError {
  try {
    parseLiteral(text);
  } catch (error) {
    if (error instanceof LiteralError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(text)} was read as a literal`);
}

/** A value as Python's repr() writes it, and the value itself. */
interface Sample {
  readonly text: string;
  readonly value: PythonValue;
}

/** CPython's unicode_repr: single quotes unless only those occur; what is not printable is escaped. */
function reprString(value: string): string {
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  let text = quote;
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    if (character === quote || character === '\\') text += `\\${character}`;
    else if (character === '\n') text += '\\n';
    else if (character === '\r') text += '\\r';
    else if (character === '\t') text += '\\t';
    else if (character === ' ' || !/[\p{C}\p{Z}]/u.test(character)) text += character;
    else if (code <= 0xff) text += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code <= 0xffff) text += `\\u${code.toString(16).padStart(4, '0')}`;
    else text += `\\U${code.toString(16).padStart(8, '0')}`;
  }
  return text + quote;
}

/** CPython's float_repr: the shortest digits, with an exponent below 1e-4 and from 1e16. */
function reprFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return `${sign}inf`;
  const [mantissa = '', exponent = ''] = Math.abs(value).toExponential().split('e');
  const power = Number(exponent);
  const digits = mantissa.replace('.', '');
  if (power < -4 || power >= 16) {
    const size = String(Math.abs(power)).padStart(2, '0');
    return `${sign}${mantissa}e${power < 0 ? '-' : '+'}${size}`;
  }
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  const padded = digits.padEnd(power + 2, '0');
  return `${sign}${padded.slice(0, power + 1)}.${padded.slice(power + 1)}`;
}

const list = (items: readonly Sample[]): Sample => ({
  text: `[${items.map((item) => item.text).join(', ')}]`,
  value: items.map((item) => item.value),
});

const tuple = (items: readonly Sample[]): Sample => ({
  text: items.length === 1 ? `(${items[0]?.text ?? ''},)` : `(${items.map((item) => item.text).join(', ')})`,
  value: items.map((item) => item.value),
});

const dict = (entries: readonly (readonly [string, Sample])[]): Sample => ({
  text: `{${entries.map(([key, item]) => `${reprString(key)}: ${item.text}`).join(', ')}}`,
  value: Object.assign(
    Object.create(null) as Record<string, PythonValue>,
    ...entries.map(([key, item]) => ({ [key]: item.value })),
  ) as PythonValue,
});

const text = fc.string({ unit: 'binary' });
const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Sample>(
      { text: 'None', value: null },
      { text: 'True', value: true },
      { text: 'False', value: false },
    ),
    fc.maxSafeInteger().map((value) => ({ text: String(value), value: value === 0 ? 0 : value })),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n }).map((value) => ({ text: String(value), value })),
    fc.bigInt({ min: -(2n ** 200n), max: -(2n ** 53n) }).map((value) => ({ text: String(value), value })),
    fc.double().map((value) => ({ text: reprFloat(value), value })),
    text.map((value) => ({ text: reprString(value), value })),
    fc.array(tie('sample')).map(list),
    fc.array(tie('sample')).map(tuple),
    fc.uniqueArray(fc.tuple(text, tie('sample')), { selector: ([key]) => key }).map(dict),
  ),
}));

describe('parseLiteral', () => {
  describe('scalars', () => {
    const cases: [string, PythonValue][] = [
      ['None', null],
      ['True', true],
      ['False', false],
      ['0', 0],
      ['-7', -7],
      ['+7', 7],
      ['2.0', 2],
      ['14.142135623730951', 14.142135623730951],
      ['1e-05', 0.00001],
      ['1.', 1],
      ['.5', 0.5],
      ['-1E+300', -1e300],
      ['1e400', Infinity],
      ['inf', Infinity],
      ['-inf', -Infinity],
      ['nan', NaN],
      ['9007199254740991', 9007199254740991],
      ['9007199254740992', 9007199254740992n],
      ['-18446744073709551616', -18446744073709551616n],
    ];
    for (const [literal, value] of cases) it(literal, () => expect(parseLiteral(literal)).to.deep.equal(value));
  });

  describe('strings', () => {
    const cases: [string, string][] = [
      [`'conv1'`, 'conv1'],
      [`"it's"`, "it's"],
      [`''`, ''],
      [String.raw`'\n\t\r\\\'\"\a\b\f\v'`, '\n\t\r\\\'"\x07\b\f\v'],
      [String.raw`'\x41\u00e9\U0001f600'`, 'Aé😀'],
      [String.raw`'\0\12\101\7778'`, '\0\nA\u01ff8'],
      [String.raw`'\ud800'`, '\ud800'],
      [String.raw`'\q\8'`, '\\q\\8'],
      [`'a\\\nb'`, 'ab'],
      [`u'text'`, 'text'],
      [String.raw`b'\xff\u0041'`, '\xff\\u0041'],
      [String.raw`r'\n\''`, "\\n\\'"],
      [String.raw`Rb"\d"`, '\\d'],
    ];
    for (const [literal, value] of cases) it(literal, () => expect(parseLiteral(literal)).to.equal(value));
  });

  describe('containers', () => {
    const cases: [string, PythonValue][] = [
      ['[]', []],
      ['()', []],
      ['(6,)', [6]],
      ['(6)', 6],
      ['((6,) )', [6]],
      ['(6 , )', [6]],
      ['[1, 2,]', [1, 2]],
      ['{1, 2}', [1, 2]],
      ['set()', []],
      [' [ (1,2) ,\n {"a" : [ None ]} ] ', [[1, 2], { a: [null] }]],
      ["{'a': 1, 'a': 2}", { a: 2 }],
      ['{1: 2, None: 3, (1, 2): 4, 2.5: 5}', { 1: 2, null: 3, '1,2': 4, 2.5: 5 }],
    ];
    for (const [literal, value] of cases) it(literal, () => expect(parseLiteral(literal)).to.deep.equal(value));

    it('a dict inherits nothing, and takes any key', () => {
      const value = parseLiteral("{'__proto__': {'polluted': True}, 'constructor': 1}");
      if (!isDict(value)) throw new Error('not a dict');
      expect(Object.keys(value)).to.deep.equal(['__proto__', 'constructor']);
      expect('toString' in value).to.equal(false);
      expect(Object.hasOwn(Object.prototype, 'polluted')).to.equal(false);
    });
  });

  describe('what is not a literal', () => {
    const cases: [string, number, string][] = [
      ['', 0, 'a value is missing'],
      ["__import__('os').system('ls')", 0, 'a name is not a literal'],
      ['1 + 2', 2, 'more text after the value'],
      ['[1 2]', 3, "',' or ']' is missing"],
      ["{'a' 1}", 5, "',' or '}' is missing"],
      ["{'a': 1, 'b'}", 12, "':' is missing"],
      ['[1, 2', 5, "',' or ']' is missing"],
      ["['abc", 1, 'a string has no closing quote'],
      ["['a\\", 1, 'a string has no closing quote'],
      [String.raw`'\x4'`, 1, 'an escape needs 2 hexadecimal digits'],
      [String.raw`'\U00110000'`, 1, 'an escape is beyond U+10FFFF'],
      [String.raw`'\N{BULLET}'`, 1, 'named characters are not supported'],
      ['1j', 1, 'a number ends in a letter'],
      ['007', 0, 'a number begins with 0'],
      ['-', 1, 'no digits'],
      ['1e', 2, 'an exponent has no digits'],
      ['.', 1, 'no digits'],
      ['{{}: 1}', 4, 'a dict cannot be a key'],
      ['torch.float16', 0, 'a name is not a literal'],
      ['<object at 0x7f>', 0, 'no literal begins like this'],
      ["'a' 'b'", 4, 'more text after the value'],
    ];
    for (const [literal, position, what] of cases) {
      it(JSON.stringify(literal), () => {
        const error = errorOf(literal);
        expect([error.what, error.position]).to.deep.equal([what, position]);
        expect(error.message).to.equal(`${what} at ${position}`);
      });
    }
  });

  describe('bounds', () => {
    it(`reads ${MAX_DEPTH} levels and refuses more, however deep`, () => {
      const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
      expect(parseLiteral(nested(MAX_DEPTH))).to.have.length(1);
      expect(errorOf(nested(MAX_DEPTH + 1)).position).to.equal(MAX_DEPTH);
      for (const opening of ['[', '(', '{', '{1:', "{'a': ("]) errorOf(opening.repeat(1_000_000));
    });

    it('refuses an integer of more digits than Python reads', () => {
      expect(parseLiteral('9'.repeat(4300))).to.equal(10n ** 4300n - 1n);
      errorOf('9'.repeat(4301));
      expect(parseLiteral(`${'9'.repeat(1_000_000)}.0`)).to.equal(Infinity);
    });

    it('reads long strings, with and without escapes', () => {
      const long = 'x'.repeat(1_000_000);
      expect(parseLiteral(`'${long}'`)).to.equal(long);
      expect(parseLiteral(`'${'\\x41'.repeat(1_000_000)}'`)).to.equal('A'.repeat(1_000_000));
      errorOf(`'${'\\\\'.repeat(1_000_000)}`);
      errorOf(`'${long}`);
    });
  });

  describe('properties', () => {
    it('reads back what repr() writes', () => {
      fc.assert(
        fc.property(sample, (one) => {
          expect(parseLiteral(one.text)).to.deep.equal(one.value);
        }),
      );
    });

    it('white space and a trailing comma change nothing', () => {
      const space = fc.stringMatching(/^[ \t\n]*$/);
      fc.assert(
        fc.property(fc.array(sample), space, (items, gap) => {
          const inner = items.map((item) => `${gap}${item.text}${gap},`).join('');
          expect(parseLiteral(`${gap}[${inner}${gap}]${gap}`)).to.deep.equal(items.map((item) => item.value));
        }),
      );
    });

    it('gives a value or a LiteralError, whatever the text', () => {
      const token = fc.constantFrom(
        ...`[](){}'":,\\ 0-9.eNone inf u b r x41 True`.split(''),
        'None',
        "'a'",
        '1, ',
        '\\U',
      );
      const anyText = fc.oneof(
        text,
        fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join('')),
      );
      fc.assert(
        fc.property(anyText, (literal) => {
          try {
            parseLiteral(literal);
          } catch (error) {
            expect(error).to.be.instanceOf(LiteralError);
            expect((error as LiteralError).message).to.match(/^.+$/);
          }
        }),
        { numRuns: propertyRuns(500) },
      );
    });

    it('a literal cut anywhere gives a value or a LiteralError', () => {
      fc.assert(
        fc.property(sample, fc.nat(), (one, cut) => {
          try {
            parseLiteral(one.text.slice(0, cut % (one.text.length + 1)));
          } catch (error) {
            expect(error).to.be.instanceOf(LiteralError);
          }
        }),
      );
    });
  });

  describe('against Python', () => {
    itWithProcess('reads what the real repr() writes (skipped without python3)', function () {
      const python = spawnSync('python3', ['-c', PYTHON_SAMPLES], { encoding: 'utf8', maxBuffer: 1 << 26 });
      if (python.status !== 0) this.skip();
      const pairs = python.stdout.trim().split('\n');
      expect(pairs).to.have.length(500);
      for (const pair of pairs) {
        const [repr, value] = JSON.parse(pair) as [string, PythonValue];
        expect(parseLiteral(repr), repr).to.deep.equal(value);
      }
    });
  });

  describe('real files', () => {
    for (const file of [
      'data/nvprof/lm_v100.net.dict',
      'data/pyprof/pyprof2.nsys.dict',
      'data/pyprof/pyprof2.nvprof.dict',
      'data/pyprof/nvidia.nsys.dict',
      'data/pyprof/nvidia.nvprof.dict',
    ]) {
      itShared(`every line and marker of ${file}`, [file], ([path = '']) => {
        const lines = readFileSync(path, 'utf8').trim().split('\n');
        for (const line of lines) {
          const record = parseLiteral(line);
          if (!isDict(record)) throw new Error(`not a dict: ${line}`);
          expect(record).to.include.keys('kShortName', 'kDuration', 'marker', 'grid', 'kLongName');
          for (const marker of record['marker'] as string[]) expect(parseLiteral(marker)).to.include.keys('mod', 'op');
        }
      });
    }
  });
});
