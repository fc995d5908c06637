/** The files that readers open next to a file. This module loads all readers. */
import { lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { firstBytes, isFile, logsOf, pathsIn } from '../../../parse/files.js';
import { HEADER_BYTES, parseHeader } from '../../../parse/readers/neuron/neff/neff-header.js';
import { filesBeside } from '../../../parse/registry.js';
import { isSystemError } from '../../../record/errors.js';

/** Paths of these files, whether they exist or not. */
export const filesRead = (file: string): string[] => {
  const folder = dirname(file);
  return [...logsOf(file), ...filesBeside(folder, file), ...linkedPrograms(folder)];
};

/**
 * Links in a folder that may lead to a program of AWS Neuron, which is found by its content, whatever its name. A link whose
 * target cannot be examined may lead to one too.
 */
const linkedPrograms = (folder: string): string[] =>
  pathsIn(folder).filter((path) => {
    try {
      if (!lstatSync(path).isSymbolicLink() || statSync(path).isDirectory()) return false;
      return /\.neff/i.test(path) || !isFile(path) || parseHeader(firstBytes(path, HEADER_BYTES)) !== null;
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return true;
    }
  });
