import { expect } from 'chai';
import fc from 'fast-check';
import { readArguments, readExtents } from '../../../../src/parse/readers/kineto/call-arguments.js';
import type { Arg } from '../../../../src/record/record.js';
import { none, t, ts } from '../../../support/calls.js';

const UNKNOWN: Arg = { name: '', type: 'unknown' };
const untyped = (...shape: number[]): Arg => ({ name: '', type: 'tensor', shape });
const value = (type: string, given: Arg['value']): Arg => ({
  name: '',
  type,
  ...(given === undefined ? {} : { value: given }),
});
const list = (...given: (number | boolean)[]): Arg => ({ name: '', type: 'list', value: given });

interface Case {
  readonly what: string;
  readonly dims?: unknown;
  readonly types?: unknown;
  readonly concrete?: unknown;
  readonly strides?: unknown;
  readonly args: readonly Arg[] | null;
}

const CASES: readonly Case[] = [
  {
    what: 'a convolution of today',
    dims: [[8, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []],
    types: [
      'c10::BFloat16',
      'c10::BFloat16',
      '',
      'ScalarList',
      'ScalarList',
      'ScalarList',
      'Scalar',
      'ScalarList',
      'Scalar',
    ],
    concrete: ['', '', '', '[2, 2]', '[3, 3]', '[1, 1]', 'False', '[0, 0]', '1'],
    args: [
      t([8, 3, 224, 224], 'bfloat16'),
      t([64, 3, 7, 7], 'bfloat16'),
      none,
      list(2, 2),
      list(3, 3),
      list(1, 1),
      value('bool', false),
      list(0, 0),
      value('int', 1),
    ],
  },
  {
    what: 'shapes and types without values (2021)',
    dims: [[64, 512], [512, 10], [], []],
    types: ['float', 'float', 'Int', 'Double'],
    args: [t([64, 512]), t([512, 10]), UNKNOWN, UNKNOWN],
  },
  { what: 'shapes alone', dims: [[4], []], args: [untyped(4), UNKNOWN] },
  {
    what: 'a tensor list',
    dims: [[[128, 1, 768], [128, 196, 768], []], []],
    types: ['TensorList', 'Scalar'],
    concrete: ['', '1'],
    args: [ts(untyped(128, 1, 768), untyped(128, 196, 768), untyped()), value('int', 1)],
  },
  { what: 'an empty tensor list', dims: [[]], types: ['TensorList'], concrete: [''], args: [ts()] },
  {
    what: 'a tensor list that is not well formed',
    dims: [[[1], 'x']],
    types: ['TensorList'],
    args: [{ name: '', type: 'list' }],
  },
  {
    what: 'a list whose values are not recorded',
    dims: [[]],
    types: ['ScalarList'],
    args: [{ name: '', type: 'list' }],
  },
  {
    what: 'tensors of dimension 0',
    dims: [[], [], []],
    types: ['double', 'long int', 'c10::Half'],
    concrete: ['', '', ''],
    args: [t([], 'float64'), t([], 'int64'), t([], 'float16')],
  },
  {
    what: 'what is not given',
    dims: [[], [], []],
    types: ['', 'nullptr (uninitialized)', 'None'],
    concrete: ['', '', ''],
    args: [none, none, none],
  },
  {
    what: 'unspecified arguments',
    dims: [[], []],
    types: ['', 'Scalar'],
    concrete: undefined,
    args: [UNKNOWN, UNKNOWN],
  },
  {
    what: 'complex and fp8',
    dims: [[2], [3], [4], [5]],
    types: ['c10::complex<float>', 'c10::complex<double>', 'c10::Float8_e4m3fn', 'c10::Float8_e5m2'],
    args: [t([2], 'complex64'), t([3], 'complex128'), t([4], 'float8_e4m3fn'), t([5], 'float8_e5m2')],
  },
  {
    what: 'a type that nobody knows keeps its name',
    dims: [[2, 2], []],
    types: ['c10::Posit16', 'c10::Posit16'],
    args: [t([2, 2], 'c10::Posit16'), UNKNOWN],
  },
  { what: 'an empty tensor', dims: [[0, 4]], types: ['float'], args: [t([0, 4])] },
  {
    what: 'invalid extents',
    dims: [[2.5], [-1], ['a'], 5, null],
    types: ['float', 'float', 'float', 'float', 'float'],
    args: [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],
  },
  {
    what: 'more types than shapes',
    dims: [[2]],
    types: ['float', 'Scalar'],
    concrete: ['', '0.5'],
    args: [t([2]), value('float', 0.5)],
  },
  {
    what: 'strides, where they are not those of a contiguous tensor',
    dims: [[15360, 4096], [], [4, 1, 8], [3, 5], [2, 2], [2, 0]],
    types: ['long int', 'Scalar', 'float', 'float', 'float', 'float'],
    concrete: ['', '1', '', '', '', ''],
    // The third tensor is contiguous: nothing lies between elements of an extent of 1.
    strides: [[1, 0], [], [8, 99, 1], [1, 3], [2, 1], [1, 7]],
    args: [
      { ...t([15360, 4096], 'int64'), strides: [1, 0] },
      value('int', 1),
      t([4, 1, 8]),
      { ...t([3, 5]), strides: [1, 3] },
      t([2, 2]),
      t([2, 0]),
    ],
  },
  {
    what: 'strides of a tensor list',
    dims: [
      [
        [4, 1, 768],
        [4, 196, 768],
      ],
    ],
    types: ['TensorList'],
    strides: [
      [
        [0, 768, 1],
        [150528, 768, 1],
      ],
    ],
    args: [ts({ ...untyped(4, 1, 768), strides: [0, 768, 1] }, untyped(4, 196, 768))],
  },
  {
    what: 'invalid strides',
    dims: [
      [2, 2],
      [2, 2],
      [2, 2],
      [2, 2],
    ],
    types: ['float', 'float', 'float', 'float'],
    strides: [[0], [1, -1], 'x'],
    args: [t([2, 2]), t([2, 2]), t([2, 2]), t([2, 2])],
  },
  { what: 'no shapes', args: null },
  { what: 'shapes that are no list', dims: 'x', types: 5, concrete: [], args: null },
];

describe('Kineto: arguments of an op', () => {
  for (const { what, dims, types, concrete, strides, args } of CASES) {
    it(what, () => {
      expect(readArguments(dims, types, concrete, strides)).to.deep.equal(args);
    });
  }

  const values: [text: string, arg: Arg][] = [
    ['1', value('int', 1)],
    ['-1', value('int', -1)],
    ['0.', value('float', 0)],
    ['1e-05', value('float', 1e-5)],
    ['.5', value('float', 0.5)],
    ['True', value('bool', true)],
    ['None', value('NoneType', null)],
    ['mean', value('str', 'mean')],
    ['inf', value('str', 'inf')],
    ['cuda:0', value('str', 'cuda:0')],
    ['[]', list()],
    ['[1, -1]', list(1, -1)],
    ['[True, False, True]', list(true, false, true)],
    ['9223372036854775807', value('int', 2 ** 63)],
  ];
  for (const [text, arg] of values) {
    it(`the value ${text}`, () => {
      expect(readArguments([[]], ['Scalar'], [text])).to.deep.equal([arg]);
    });
  }

  it('never fails on any input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (dims, types, concrete, strides) => {
        const args = readArguments(dims, types, concrete, strides);
        expect(args === null || args.every(({ name }) => name === '')).to.equal(true);
      }),
    );
  });

  it('extents of results', () => {
    expect(readExtents([[10, 64], []])).to.deep.equal([[10, 64], []]);
    expect(readExtents([[10, 64], 'x'])).to.deep.equal([[10, 64]]);
    for (const none of [undefined, [], [[]], [['x'], [1]], 'x', { 0: [1] }]) expect(readExtents(none)).to.equal(null);
  });
});
