! @TITLE@
! Reads the numbers of input.txt (or of the file named first), writes the motion to output.csv (or the file named second).
program motion
  use model
  use integrator
  implicit none
  integer, parameter :: settings = 5, states = @STATES@, coordinates = @COORDINATES@, parameters = @PARAMETERS@
  integer, parameter :: total = settings + states + parameters
  character(len=@LONGEST@), parameter :: names(total) = [character(len=@LONGEST@) :: &
    "t_start", "t_end", "t_step", "rtol", "atol"@NAMES@ ]
  ! of each state: a radian, the size of the machine, either in a second
  real(dp), parameter :: units(states) = [real(dp) :: &
    @UNITS@ ]
  ! the start of the program as it was made: what is another one now is kept, the rest moves to close the loops
  real(dp), parameter :: written(states) = [real(dp) :: &
    @WRITTEN@ ]
  character(len=1024) :: input, output
  real(dp) :: values(total + 1), y(states), p(parameters + 1), t, next, h
  logical, parameter :: closed = @CLOSED@
  logical :: known(total), failed
  type(hold) :: held
  integer :: k, unit, status

  input = "input.txt"
  output = "output.csv"
  if (command_argument_count() > 0) call get_command_argument(1, input)
  if (command_argument_count() > 1) call get_command_argument(2, output)
  call read_input()
  y = values(settings + 1:settings + states)
  p = 0.0_dp
  p(1:parameters) = values(settings + states + 1:total)
  if (values(2) < values(1)) call refuse(trim(input)//": t_end is before t_start")
  if (.not. values(3) > 0.0_dp) call refuse(trim(input)//": t_step must be positive")
  open (newunit=unit, file=trim(output), status="replace", action="write", iostat=status)
  if (status /= 0) call refuse("cannot write "//trim(output))
  write (unit, '(a)', advance="no") "t"
  do k = settings + 1, settings + states
    write (unit, '(a)', advance="no") ","//trim(names(k))
  end do
  write (unit, '(a)') ",kinetic,potential"
  t = values(1)
  h = min(values(3), 1.0e-3_dp)
  call close_start()
  call write_row()
  k = 0
  do while (t < values(2))
    k = k + 1
    next = values(1) + k*values(3)
    if (next + 1.0e-6_dp*values(3) > values(2)) next = values(2)  ! no row for what rounding leaves of the span
    call integrate(rhs, @CORRECTED@, closed, states, t, next, y, p, units, values(4), values(5), h, held, failed)
    if (failed) then
      close (unit)
      call refuse("the step became too small: the motion is singular where output ends")
    end if
    call write_row()
  end do
  close (unit)
  if (held%lost) call say_singular()

contains

  subroutine say_singular()
    use, intrinsic :: iso_fortran_env, only: error_unit
    write (error_unit, '(a, g0.9, a)') "at t = ", held%instant, " the motion passes a singular posture, where its "// &
      "loops do not tell branches apart: if it passes slowly, its energy and its branch may be lost from there on. "// &
      "Look at the energy in "//trim(output)//", or start beside that posture"
  end subroutine say_singular

  subroutine refuse(message)
    use, intrinsic :: iso_fortran_env, only: error_unit
    character(len=*), intent(in) :: message
    write (error_unit, '(a)') message
    stop 2
  end subroutine refuse

  ! Closes the loops of the start and says what had to move.
  subroutine close_start()
    use, intrinsic :: iso_fortran_env, only: error_unit
    real(dp) :: first(states)
    logical :: told(states)
    integer :: i, trouble
    if (.not. closed) return
    first = y
    told = y /= written
    call close_loops(@CORRECTED@, states, t, y, p, units, told, held, trouble)
    if (trouble == 1) then
      call refuse(trim(input)//": the loops do not close at this start: give one that is nearly closed")
    end if
    if (trouble == 2) then
      do i = 1, states
        if (told(i)) write (error_unit, '(a, es16.8, a, es16.8)') trim(names(settings + i))//" =", first(i), ", nearest", y(i)
      end do
      call refuse(trim(input)//": these start values do not fit the loops. Give fewer of them, then the rest follows")
    end if
    do i = 1, states
      if (abs(y(i) - first(i)) > 1.0e-6_dp*(units(i) + abs(first(i)))) then
        write (error_unit, '(a, es16.8, a, es16.8, a)') trim(input)//": "//trim(names(settings + i))//" moved from", &
          first(i), " to", y(i), " to close the loops"
      end if
    end do
  end subroutine close_start

  subroutine write_row()
    real(dp) :: both(2)
    integer :: i
    call energy([t], y(1:coordinates), y(coordinates + 1:states), p, both)
    write (unit, '(es25.17e3)', advance="no") t
    do i = 1, states
      write (unit, '(",", es25.17e3)', advance="no") y(i)
    end do
    write (unit, '(",", es25.17e3, ",", es25.17e3)') both
  end subroutine write_row

  subroutine read_input()
    character(len=1024) :: line
    character(len=16) :: place
    integer :: file, number, equals, comment, i, trouble
    known = .false.
    number = 0
    open (newunit=file, file=trim(input), status="old", action="read", iostat=trouble)
    if (trouble /= 0) call refuse("cannot read "//trim(input))
    do
      read (file, '(a)', iostat=trouble) line
      if (trouble /= 0) exit
      number = number + 1
      comment = index(" "//line, " #") ! a # that is no part of a name
      if (comment > 0) line = line(1:comment - 1)
      if (len_trim(line) == 0) cycle
      write (place, '(i0)') number
      equals = index(line, "=")
      if (equals == 0) call refuse(trim(input)//":"//trim(place)//": expected 'name = number'")
      i = findloc(names == adjustl(line(1:equals - 1)), .true., dim=1)
      if (i == 0) call refuse(trim(input)//":"//trim(place)//": unknown name "//trim(adjustl(line(1:equals - 1))))
      line = adjustl(line(equals + 1:))
      read (line, *, iostat=trouble) values(i)
      if (scan(trim(line), " ,;/*") /= 0) trouble = 1 ! 1,5 would be read as 1
      if (trouble == 0) trouble = merge(0, 1, abs(values(i)) <= huge(1.0_dp))
      if (trouble /= 0) call refuse(trim(input)//":"//trim(place)//": expected 'name = number'")
      known(i) = .true.
    end do
    close (file)
    do i = 1, total
      if (.not. known(i)) call refuse(trim(input)//": no value for "//trim(names(i)))
    end do
  end subroutine read_input

end program motion
