#!/usr/bin/env node
import '../dist/cli/dparse.js';
