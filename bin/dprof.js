#!/usr/bin/env node
import '../dist/cli/dprof.js';
