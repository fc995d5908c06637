/** The files that readers open next to a file. This module loads all readers. */
import { dirname } from 'node:path';
import { logsOf } from '../../../parse/files.js';
import { filesBeside } from '../../../parse/registry.js';

/** Paths of these files, whether they exist or not. */
export const filesRead = (file: string): string[] => [...logsOf(file), ...filesBeside(dirname(file), file)];
