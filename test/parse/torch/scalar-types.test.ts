import { expect } from 'chai';
import { isListType, isPlainType } from '../../../src/parse/torch/host-events.js';
import { elementType } from '../../../src/record/element-types.js';

// Bytes: c10/core/ScalarType.h.
const TYPES: [text: string, dtype: string, bytes: number][] = [
  ['float', 'float32', 4],
  ['double', 'float64', 8],
  ['c10::Half', 'float16', 2],
  ['c10::BFloat16', 'bfloat16', 2],
  ['long int', 'int64', 8],
  ['long', 'int64', 8],
  ['int', 'int32', 4],
  ['short', 'int16', 2],
  ['signed char', 'int8', 1],
  ['unsigned char', 'uint8', 1],
  ['bool', 'bool', 1],
  ['c10::complex<float>', 'complex64', 8],
  ['c10::complex<double>', 'complex128', 16],
  ['c10::complex<c10::Half>', 'complex32', 4],
  ['c10::Float8_e4m3fn', 'float8_e4m3fn', 1],
  ['c10::Float8_e4m3fnuz', 'float8_e4m3fnuz', 1],
  ['c10::Float8_e5m2', 'float8_e5m2', 1],
  // Names of collectives.
  ['Float', 'float32', 4],
  ['BFloat16', 'bfloat16', 2],
  ['Long', 'int64', 8],
  ['Byte', 'uint8', 1],
  ['Float8_e4m3fn', 'float8_e4m3fn', 1],
];

describe('Kineto: element types', () => {
  for (const [text, dtype, bytes] of TYPES) {
    it(`${text} is ${dtype}`, () => {
      expect(elementType(text)).to.include({ dtype, bytes });
    });
  }

  it('the name of a type that is no tensor has none', () => {
    for (const text of ['', 'Scalar', 'TensorList', 'ScalarList', 'constructor', '__proto__', 'Quaternion'])
      expect(elementType(text), text).to.equal(null);
    expect(['Scalar', 'Int', 'Bool', 'Double'].every(isPlainType)).to.equal(true);
    expect(['int', 'bool', 'double', 'TensorList'].some(isPlainType)).to.equal(false);
    expect(isListType('ScalarList')).to.equal(true);
    expect(isListType('TensorList')).to.equal(false);
  });
});
