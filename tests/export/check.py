#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks an exported file by the rules of the program that opens it: check.py FORMAT FILE. Prints what the file says.

chrome      the trace event format: phases M, X, C; required members; slices of a thread nest; counters are numbers
speedscope  the file format schema: sampled profiles whose samples name shared frames, one weight each
folded      "name;name bytes" lines
csv         RFC 4180, every row as long as the header
pytorch     a pickle of the opcodes that the viewer reads, alloc and free in pairs, segments that cover every address
"""
import csv
import json
import pickle
import pickletools
import sys


def chrome(path):
    trace = json.load(open(path, encoding='utf-8'))
    assert isinstance(trace['traceEvents'], list)
    assert trace['displayTimeUnit'] in ('ms', 'ns')
    counts = {}
    stacks = {}
    named = set()
    for event in trace['traceEvents']:
        counts[event['ph']] = counts.get(event['ph'], 0) + 1
        assert isinstance(event['pid'], int) and isinstance(event['tid'], int) and isinstance(event['name'], str)
        if event['ph'] == 'M':
            assert event['name'] in ('process_name', 'thread_name') and isinstance(event['args']['name'], str)
            named.add(event['pid'])
        elif event['ph'] == 'X':
            assert event['pid'] in named
            begin, end = event['ts'], event['ts'] + event['dur']
            assert event['dur'] > 0
            stack = stacks.setdefault((event['pid'], event['tid']), [])
            while stack and stack[-1] <= begin:
                stack.pop()
            assert not stack or end <= stack[-1], f'{event} reaches beyond the slice around it'
            stack.append(end)
        elif event['ph'] == 'C':
            assert event['args'] and all(isinstance(v, (int, float)) and v >= 0 for v in event['args'].values())
        else:
            raise AssertionError(f'unexpected phase {event["ph"]}')
    ops = [e for e in trace['traceEvents'] if e['ph'] == 'X' and 'index' in e.get('args', {})]
    assert [e['args']['index'] for e in ops] == list(range(len(ops)))
    peak = {}
    for event in trace['traceEvents']:
        if event['ph'] == 'C':
            peak[event['name']] = max(peak.get(event['name'], 0), event['args']['MB per bank'])
    print('ops', len(ops))
    print('processes', len(named))
    print('peak DRAM', peak.get('DRAM'))


def speedscope(path):
    profile = json.load(open(path, encoding='utf-8'))
    assert profile['$schema'] == 'https://www.speedscope.app/file-format-schema.json'
    frames = profile['shared']['frames']
    assert all(isinstance(frame['name'], str) for frame in frames)
    assert 0 <= profile['activeProfileIndex'] <= len(profile['profiles'])
    for part in profile['profiles']:
        assert part['type'] == 'sampled' and part['unit'] == 'bytes'
        assert len(part['samples']) == len(part['weights'])
        assert all(0 <= frame < len(frames) for sample in part['samples'] for frame in sample)
        assert part['startValue'] == 0 and part['endValue'] == sum(part['weights'])
        print(part['name'], part['endValue'])


def folded(path):
    totals = {}
    for line in open(path, encoding='utf-8'):
        stack, bytes_ = line.rstrip('\n').rsplit(' ', 1)
        totals[stack.split(';')[0]] = totals.get(stack.split(';')[0], 0) + int(bytes_)
        assert int(bytes_) > 0 and all(stack.split(';'))
    for pool, total in totals.items():
        print(pool, total)


def csv_(path):
    rows = list(csv.reader(open(path, encoding='utf-8', newline=''), strict=True))
    assert all(len(row) == len(rows[0]) for row in rows)
    print('columns', len(rows[0]), 'rows', len(rows) - 1)


VIEWER_READS = {
    'PROTO', 'STOP', 'EMPTY_DICT', 'EMPTY_LIST', 'MARK', 'SETITEMS', 'APPEND', 'APPENDS', 'BINUNICODE', 'SHORT_BINUNICODE',
    'BININT', 'BININT1', 'BININT2', 'LONG1', 'MEMOIZE', 'BINGET', 'LONG_BINGET', 'NONE', 'FRAME'}


def pytorch(path):
    data = open(path, 'rb').read()
    used = {op.name for op, _, _ in pickletools.genops(data)}
    assert used <= VIEWER_READS, f'the viewer does not know {used - VIEWER_READS}'
    snapshot = pickle.loads(data)
    for number, trace in enumerate(snapshot['device_traces']):
        segments = [s for s in snapshot['segments'] if s['device'] == number]
        alive, high, now, last = {}, 0, 0, None
        for event in trace:
            assert isinstance(event['stream'], int)
            for frame in event['frames']:
                assert isinstance(frame['name'], str) and isinstance(frame['filename'], str)
                assert isinstance(frame['line'], int)
            assert any(s['address'] <= event['addr'] < s['address'] + s['total_size'] for s in segments)
            if event['action'] == 'alloc':
                assert event['addr'] not in alive
                alive[event['addr']] = event['size']
                now += event['size']
            elif event['action'] == 'free_completed':
                # the viewer joins it with the free_requested right before it
                assert last['action'] == 'free_requested' and last['addr'] == event['addr']
                assert alive.pop(event['addr']) == event['size']
                now -= event['size']
            else:
                assert event['action'] == 'free_requested'
            high, last = max(high, now), event
        for segment in segments:
            at, left = segment['address'], 0
            for block in segment['blocks']:
                assert block['address'] == at
                at += block['size']
                if block['state'] == 'active_allocated':
                    assert alive.pop(block['address']) == block['requested_size'] <= block['size']
                    left += block['size']
                else:
                    assert block['state'] == 'inactive'
            assert at == segment['address'] + segment['total_size'] and left == segment['allocated_size']
        assert not alive
        print(snapshot['ttmem']['devices'][number], 'peak', high)


{'chrome': chrome, 'speedscope': speedscope, 'folded': folded, 'csv': csv_, 'pytorch': pytorch}[sys.argv[1]](sys.argv[2])
