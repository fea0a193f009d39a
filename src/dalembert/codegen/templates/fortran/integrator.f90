! Dormand and Prince's method of order 5 with an error estimate of order 4.
module integrator
  implicit none
  private
  integer, parameter :: dp = kind(1.0d0)
  public :: integrate, settle, close_loops, hold

  ! How many conditions of the loops count: fewer at a singular posture, where branches meet.
  type :: hold
    real(dp) :: most = 0.0_dp, since = 0.0_dp, instant = 0.0_dp
    logical :: lost = .false.
  end type hold

  abstract interface
    pure subroutine right_side(t, y, p, out)
      import :: dp
      real(dp), intent(in) :: t(*), y(*), p(*)
      real(dp), intent(out) :: out(*)
    end subroutine right_side
  end interface

  real(dp), parameter :: node(7) = [0.0_dp, 0.2_dp, 0.3_dp, 0.8_dp, 8.0_dp/9.0_dp, 1.0_dp, 1.0_dp]
  real(dp), parameter :: weight(6, 7) = reshape([ &
    0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, &
    0.2_dp, 0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, &
    3.0_dp/40, 9.0_dp/40, 0.0_dp, 0.0_dp, 0.0_dp, 0.0_dp, &
    44.0_dp/45, -56.0_dp/15, 32.0_dp/9, 0.0_dp, 0.0_dp, 0.0_dp, &
    19372.0_dp/6561, -25360.0_dp/2187, 64448.0_dp/6561, -212.0_dp/729, 0.0_dp, 0.0_dp, &
    9017.0_dp/3168, -355.0_dp/33, 46732.0_dp/5247, 49.0_dp/176, -5103.0_dp/18656, 0.0_dp, &
    35.0_dp/384, 0.0_dp, 500.0_dp/1113, 125.0_dp/192, -2187.0_dp/6784, 11.0_dp/84], [6, 7])
  real(dp), parameter :: error_weight(7) = [71.0_dp/57600, 0.0_dp, -71.0_dp/16695, 71.0_dp/1920, &
    -17253.0_dp/339200, 22.0_dp/525, -1.0_dp/40]

contains

  ! Brings y back to where its loops are closed by repeated Newton steps, until they change nothing.
  ! change is the last one, as a share of each state's size (at least its unit): of a state that does not close, it stays large or a NaN.
  ! corrected gives the state after a step, then how many conditions count.
  subroutine settle(corrected, n, t, y, p, unit, times, held, change)
    procedure(right_side) :: corrected
    integer, intent(in) :: n, times
    real(dp), intent(in) :: t, p(*), unit(n)
    real(dp), intent(inout) :: y(n)
    type(hold), intent(inout) :: held
    real(dp), intent(out) :: change
    real(dp) :: nearer(n + 1), moved
    integer :: i, k

    change = 0.0_dp
    do k = 1, times
      call corrected([t], y, p, nearer)
      change = 0.0_dp
      do i = 1, n
        moved = abs(nearer(i) - y(i))/(unit(i) + abs(y(i)))
        if (moved > change .or. .not. moved <= huge(moved)) change = moved  ! a NaN stays
      end do
      y = nearer(1:n)
      if (change <= 1.0e-14_dp) exit
    end do
    if (held%most > 0.0_dp .and. nearer(n + 1) /= held%most .and. .not. held%lost) then
      held%lost = .true.
      held%instant = merge(t, held%since, nearer(n + 1) < held%most)  ! a start may be singular itself
    end if
    if (nearer(n + 1) > held%most) then
      held%most = nearer(n + 1)
      held%since = t
    end if
  end subroutine settle

  ! x of A x = b, A symmetric and positive, both overwritten (Cholesky).
  subroutine solve(m, A, b)
    integer, intent(in) :: m
    real(dp), intent(inout) :: A(m, m), b(m)
    integer :: j, k

    do j = 1, m
      do k = 1, j - 1
        A(j:m, j) = A(j:m, j) - A(j:m, k)*A(j, k)
      end do
      A(j:m, j) = A(j:m, j)/sqrt(A(j, j))
      b(j) = (b(j) - dot_product(A(j, 1:j - 1), b(1:j - 1)))/A(j, j)
    end do
    do j = m, 1, -1
      b(j) = (b(j) - dot_product(A(j + 1:m, j), b(j + 1:m)))/A(j, j)
    end do
  end subroutine solve

  ! Moves the states that are not told, as little as they must, until the loops are closed: Gauss and Newton, with slopes
  ! by differences. rest is what is left, in units.
  subroutine close_keeping(corrected, n, t, y, p, unit, told, rest)
    procedure(right_side) :: corrected
    integer, intent(in) :: n
    real(dp), intent(in) :: t, p(*), unit(n)
    real(dp), intent(inout) :: y(n)
    logical, intent(in) :: told(n)
    real(dp), intent(out) :: rest
    real(dp) :: nearer(n + 1), r(n), here, slope(n, count(.not. told)), step(count(.not. told))
    real(dp) :: A(count(.not. told), count(.not. told))
    integer :: i, j, m, turn

    m = count(.not. told)
    do turn = 1, 40
      call corrected([t], y, p, nearer)
      r = (nearer(1:n) - y)/unit
      rest = merge(maxval(abs(r)), huge(rest), all(abs(r) <= huge(rest)))
      if (rest <= 1.0e-13_dp) exit
      j = 0
      do i = 1, n
        if (told(i)) cycle
        j = j + 1
        here = y(i)
        y(i) = here + 1.0e-7_dp*unit(i)
        call corrected([t], y, p, nearer)
        slope(:, j) = ((nearer(1:n) - y)/unit - r)/1.0e-7_dp
        y(i) = here
      end do
      A = matmul(transpose(slope), slope)
      step = -matmul(transpose(slope), r)
      here = sum([(A(j, j), j=1, m)])
      do j = 1, m
        A(j, j) = A(j, j) + 1.0e-10_dp*here  ! of what the loops leave free, nothing moves
      end do
      call solve(m, A, step)
      y = y + unit*unpack(step, .not. told, 0.0_dp)
    end do
  end subroutine close_keeping

  ! Closes the loops of a start: states that are told are kept, the others move as little as they must.
  ! trouble is 0; 1 where the loops do not close from there; 2 where the told states do not fit: y is then the nearest state that does.
  subroutine close_loops(corrected, n, t, y, p, unit, told, held, trouble)
    procedure(right_side) :: corrected
    integer, intent(in) :: n
    real(dp), intent(in) :: t, p(*), unit(n)
    real(dp), intent(inout) :: y(n)
    logical, intent(in) :: told(n)
    type(hold), intent(inout) :: held
    integer, intent(out) :: trouble
    real(dp) :: first(n), change, rest

    trouble = 0
    if (any(told)) then
      first = y
      call close_keeping(corrected, n, t, y, p, unit, told, rest)
      if (.not. rest <= 1.0e-10_dp) then
        trouble = 2
        y = first
      end if
    end if
    call settle(corrected, n, t, y, p, unit, 50, held, change)
    if (.not. change <= 1.0e-8_dp) trouble = 1
  end subroutine close_loops

  ! Advances y from t to t_end, settled after every step if it is closed; h is the step to try first and afterwards the
  ! one to try next. Tolerances: rtol of each state, and atol of its unit.
  subroutine integrate(f, corrected, closed, n, t, t_end, y, p, unit, rtol, atol, h, held, failed)
    procedure(right_side) :: f, corrected
    logical, intent(in) :: closed
    integer, intent(in) :: n
    real(dp), intent(inout) :: t, y(n), h
    real(dp), intent(in) :: t_end, p(*), unit(n), rtol, atol
    type(hold), intent(inout) :: held
    logical, intent(out) :: failed
    real(dp) :: slope(n, 7), trial(n), correction(n), step, error, factor, change
    logical :: fresh, last
    integer :: s

    failed = .false.
    fresh = .true.
    do while (t < t_end)
      step = h
      last = t + step >= t_end
      if (last) step = t_end - t
      if (.not. last .and. t + 0.1_dp*step == t) then  ! the last step is as short as what is asked for
        failed = .true.
        return
      end if
      if (fresh) call f([t], y, p, slope(:, 1))
      fresh = .false.
      do s = 2, 7
        trial = y + step*matmul(slope(:, 1:s - 1), weight(1:s - 1, s))
        call f([t + node(s)*step], trial, p, slope(:, s))
      end do
      correction = step*matmul(slope, error_weight)/(atol*unit + rtol*max(abs(y), abs(trial)))
      error = 0.0_dp
      if (n > 0) error = sqrt(sum(correction**2)/n)
      factor = 5.0_dp
      if (error > 0.0_dp) factor = min(5.0_dp, max(0.2_dp, 0.9_dp*error**(-0.2_dp)))
      if (error <= 1.0_dp) then  ! false for a NaN, which shortens the step
        t = merge(t_end, t + step, last)
        y = trial
        slope(:, 1) = slope(:, 7)  ! the last slope is the first of the next step
        if (.not. last .or. factor < 1.0_dp) h = step*factor
        if (closed) then
          call settle(corrected, n, t, y, p, unit, 8, held, change)
          fresh = .true.
        end if
      else
        h = step*merge(factor, 0.2_dp, error > 1.0_dp)
      end if
    end do
  end subroutine integrate

end module integrator
