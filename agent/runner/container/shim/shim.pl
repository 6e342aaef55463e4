# Process 1 of a hosted container: starts the one command that the runner sends, passes its output on, reaps what is left behind.
# When it ends the kernel kills everything else in the container.
#
# It speaks in frames (frames.ts): one byte of kind, four of length, payload. Perl is in every Debian, starts in two
# milliseconds and needs no compiler; only what is built into the language is used, so that no module is loaded.
use strict;

my ($prctl, $sigprocmask, $signalfd) = @ARGV;
my ($WNOHANG, $EINTR, $EAGAIN, $F_SETFL, $O_NONBLOCK, $PR_SET_DUMPABLE) = (1, 4, 11, 4, 2048, 4);
my ($SIG_BLOCK, $SIG_UNBLOCK) = (0, 1);
# A set of signals as the kernel takes it: SIGCHLD is number 17.
my $CHILDREN = pack('Q', 1 << 16);
my $PIECE = 65536;
my $BROKEN = 70;

my $outgoing = '';
my $incoming = '';
my %sources;
my (@job, $child, $exited, $terminating, $alone, $reported);

# Commands run as the same user: one that could read this memory or open these descriptors could forge frames.
dumpable(0) or exit $BROKEN;
fcntl(STDOUT, $F_SETFL, $O_NONBLOCK) or exit $BROKEN;

# The end of a child is read from a descriptor. Perl runs a signal handler only between two operations, so a signal that
# arrives just before select would not wake it.
$SIG{CHLD} = 'DEFAULT';
children($SIG_BLOCK) or exit $BROKEN;
my $ended = syscall($signalfd, -1, $CHILDREN, length $CHILDREN, $O_NONBLOCK);
open(my $woken, '<&=', $ended) or exit $BROKEN;

send_frame('R', '');
while (1) {
    my $reads = bits(\*STDIN, $woken, $outgoing eq '' ? map { $_->{from} } values %sources : ());
    my $writes = $outgoing eq '' ? '' : bits(\*STDOUT);
    select($reads, $writes, undef, undef) >= 0 or next;

    flush_outgoing() if $outgoing ne '';
    read_jobs() if vec($reads, fileno(STDIN), 1);
    reap() if vec($reads, fileno($woken), 1);
    for my $source (values %sources) { pass_on($source) if vec($reads, fileno($source->{from}), 1) }
    next if $reported || !$exited || %sources || ($terminating && !$alone);
    $reported = 1;
    send_frame('D', '');
}

sub bits {
    my $bits = '';
    vec($bits, fileno($_), 1) = 1 for @_;
    return $bits;
}

sub send_frame {
    my ($kind, $payload) = @_;
    $outgoing .= pack('a N/a*', $kind, $payload);
}

sub flush_outgoing {
    my $written = syswrite(STDOUT, $outgoing);
    if (defined $written) { substr($outgoing, 0, $written) = '' }
    elsif ($! != $EINTR && $! != $EAGAIN) { exit 0 }
}

sub read_jobs {
    my $read = sysread(STDIN, $incoming, $PIECE, length $incoming);
    return if !defined $read && $! == $EINTR;
    # The agent is gone, so everything in here goes.
    exit 0 unless $read;
    while (length $incoming >= 5) {
        my ($kind, $length) = unpack('a N', $incoming);
        return if length $incoming < 5 + $length;
        my $payload = substr($incoming, 5, $length);
        substr($incoming, 0, 5 + $length) = '';
        accept_job($payload) if $kind eq 'J' && !@job;
        begin(@job) if $kind eq 'B' && @job && !defined $child;
        terminate() if $kind eq 'T';
    }
}

# Only when the runner says so, later, does it begin: so it knows of a container that has ended whether anything ran in it.
sub accept_job {
    @job = unpack('(N/a)*', $_[0]);
    send_frame('A', '');
}

# A job: "1" where stdout and stderr are separate, the folder, the number of words, the words, the environment.
sub begin {
    my ($apart, $folder, $words, @rest) = @_;
    my @argv = splice(@rest, 0, $words);
    my $stdout = open_source('O');
    my $stderr = $apart ? open_source('E') : $stdout;
    pipe(my $report, my $reporter) or exit $BROKEN;
    $child = fork;
    exit $BROKEN unless defined $child;
    run($folder, \@argv, \@rest, $stdout, $stderr, $reporter) if $child == 0;
    close $_ for $stdout, $stderr, $reporter;
    my $problem = read_all($report);
    send_frame('F', $problem) if $problem ne '';
}

sub run {
    my ($folder, $argv, $env, $stdout, $stderr, $reporter) = @_;
    setpgrp(0, 0);
    children($SIG_UNBLOCK) or give_up($reporter, 'start');
    prefer_as_victim();
    open(STDIN, '<', '/dev/null') && open(STDOUT, '>&', $stdout) && open(STDERR, '>&', $stderr)
        or give_up($reporter, 'start');
    chdir($folder) or give_up($reporter, 'folder');
    %ENV = map { split(/=/, $_, 2) } @$env;
    exec { $argv->[0] } @$argv;
    give_up($reporter, 'exec');
}

# When memory runs out the kernel is to end the command and not the one who can tell of it. Writing to a file of one's own
# in /proc needs to be dumpable; nothing else runs as this user yet.
sub prefer_as_victim {
    dumpable(1);
    if (open(my $score, '>', '/proc/self/oom_score_adj')) { syswrite($score, '500') }
}

# Not by exit, which would run what belongs to process 1.
sub give_up {
    my ($reporter, $stage) = @_;
    syswrite($reporter, $stage . ' ' . ($! + 0));
    kill('KILL', $$);
}

# The reporter closes with the exec, so this ends at once.
sub read_all {
    my ($handle) = @_;
    my $all = '';
    while (1) {
        my $read = sysread($handle, $all, 64, length $all);
        return $all if defined $read ? $read == 0 : $! != $EINTR;
    }
}

sub open_source {
    my ($kind) = @_;
    pipe(my $from, my $to) or exit $BROKEN;
    $sources{$kind} = { kind => $kind, from => $from };
    return $to;
}

sub pass_on {
    my ($source) = @_;
    my $read = sysread($source->{from}, my $bytes, $PIECE);
    if ($read) { send_frame($source->{kind}, $bytes) }
    elsif (defined $read || $! != $EINTR) { delete $sources{$source->{kind}} }
}

sub terminate {
    $terminating = 1;
    kill('TERM', -1);
    reap();
}

sub reap {
    sysread($woken, my $ignored, $PIECE);
    while ((my $pid = waitpid(-1, $WNOHANG)) != 0) {
        $alone = $pid < 0;
        return if $alone;
        next if $pid != $child;
        $exited = 1;
        send_frame('X', $? & 127 ? 128 + ($? & 127) : $? >> 8);
    }
}

sub dumpable { return syscall($prctl, $PR_SET_DUMPABLE, $_[0], 0, 0, 0) == 0 }

sub children {
    my ($how) = @_;
    return syscall($sigprocmask, $how, $CHILDREN, 0, length $CHILDREN) == 0;
}
